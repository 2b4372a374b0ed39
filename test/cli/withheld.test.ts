/** What is denied or hidden, in the words of each dialect, as the built program says it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../client.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

const temporary = temporaryDirectory();
const root = join(temporary.path, 'root');
const at = (path: string) => join(root, path);

beforeAll(() => {
  layOut(root, { '.env': 'KEY=1\n', 'a.txt': 'a\n', 'sub/plan.md': 'plan\n', 'app/.env': 'KEY=2\n' });
});

afterAll(() => temporary.remove());

function call(dialect: string, tool: string, args: unknown, rules: readonly string[] = RULES): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'call', '--dialect', dialect, '--no-journal', ...rules, tool, JSON.stringify(args), root],
    { encoding: 'utf8', env: { ...process.env, XDG_STATE_HOME: temporary.path } },
  );
  return `${stdout}${stderr}`.replaceAll(root, 'ROOT');
}

const RULES = ['--deny', 'secrets', '--hide', 'plan.md'];
const DENIED = 'the owner of this server denied it (--deny)';

describe('a denied file', () => {
  it.each([
    ['replay', 'read_file', { path: at('.env') }, `error -32001: Path not allowed: ROOT/.env: ${DENIED}`],
    ['patch', 'append', { path: '.env', content: 'x' }, `AccessDenied: .env: ${DENIED}`],
    ['workspace', 'read_file', { file: '.env' }, `"code":"INVALID_PATH","message":".env: ${DENIED}"`],
    ['repo', 'read_file', { path: '.env' }, `error -32002: Access denied: .env: ${DENIED}`],
  ])('is refused by %s: %s', (dialect, tool, args, words) => {
    expect(call(dialect, tool, args)).toContain(words);
    expect(readFileSync(at('.env'), 'utf8')).toBe('KEY=1\n');
  });

  it('is refused by fileeditor', () => {
    expect(call('fileeditor', 'set_workspace', { path: at('app/.env') })).toContain('denied it (--deny)');
  });

  it('is the reason why its directory stays', () => {
    expect(call('replay', 'move_file', { source: at('app'), destination: at('moved') })).toContain(
      'Path not allowed: ROOT/app holds .env, which the owner of this server denied (--deny)',
    );
  });

  it('is listed, and its content is not found', () => {
    expect(call('replay', 'list_directory', { path: root })).toContain('.env');
    expect(call('replay', 'grep_files', { pattern: 'KEY', path: root })).not.toContain('KEY=');
    expect(call('repo', 'search_files', { pattern: 'KEY' })).not.toContain('KEY=');
  });
});

describe('a hidden file', () => {
  it('is missing in the same words as any other', () => {
    for (const [dialect, tool, args] of [
      ['replay', 'read_file', (path: string) => ({ path: at(path) })],
      ['workspace', 'read_file', (file: string) => ({ file })],
      ['repo', 'read_file', (path: string) => ({ path })],
    ] as const) {
      const hidden = call(dialect, tool, args('sub/plan.md'));
      expect(hidden).not.toBe('');
      expect(hidden.replaceAll('plan.md', 'none.md')).toBe(call(dialect, tool, args('sub/none.md')));
    }
    expect(call('replay', 'list_directory', { path: at('sub') })).not.toContain('plan.md');
  });

  it('cannot be made, and nobody says why', () => {
    expect(call('replay', 'write_file', { path: at('plan.md'), content: 'x' })).toMatch(
      /Path not allowed: ROOT\/plan.md cannot be created\s*$/,
    );
    expect(readdirSync(root)).not.toContain('plan.md');
  });

  it('is not named as the reason why its directory stays', () => {
    expect(call('replay', 'move_file', { source: at('sub'), destination: at('moved') })).toContain(
      'ROOT/sub cannot be moved: it holds entries that this server does not serve',
    );
  });
});

describe('.cofferdamignore', () => {
  it('cannot be made by a tool', () => {
    expect(call('replay', 'write_file', { path: at('.cofferdamignore'), content: 'a.txt' }, [])).toContain(
      'ROOT/.cofferdamignore cannot be changed: it says what this server hides, and only its owner may say that',
    );
    expect(readdirSync(root)).not.toContain('.cofferdamignore');
  });
});

describe('rules that cannot be read', () => {
  it('end the start with a clear line', () => {
    expect(call('replay', 'list_directory', { path: root }, ['--deny', '['])).toBe(
      'cofferdam: bad-glob: "[": as a line of a .gitignore file it matches nothing\n',
    );
  });
});
