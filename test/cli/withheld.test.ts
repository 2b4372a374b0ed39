/** How each dialect answers calls for denied and hidden files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../in-process.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

const temporary = temporaryDirectory();
const root = join(temporary.path, 'root');
const at = (path: string) => join(root, path);

beforeAll(() => {
  layOut(root, { '.env': 'KEY=1\n', 'a.txt': 'a\n', 'sub/plan.md': 'plan\n', 'app/.env': 'KEY=2\n' });
});

afterAll(() => temporary.remove());

async function call(dialect: string, tool: string, args: unknown, rules: readonly string[] = RULES) {
  const options = ['--dialect', dialect, '--no-journal', ...rules];
  const { stdout, stderr } = await runInProcess(['call', ...options, tool, JSON.stringify(args), root], {
    env: { ...process.env, XDG_STATE_HOME: temporary.path },
  });
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
  ])('is refused by %s: %s', async (dialect, tool, args, words) => {
    expect(await call(dialect, tool, args)).toContain(words);
    expect(readFileSync(at('.env'), 'utf8')).toBe('KEY=1\n');
  });

  it('is refused by fileeditor', async () => {
    expect(await call('fileeditor', 'set_workspace', { path: at('app/.env') })).toContain(
      'denied it (--deny)',
    );
  });

  it('keeps its directory from being moved, and the error names it', async () => {
    expect(await call('replay', 'move_file', { source: at('app'), destination: at('moved') })).toContain(
      'Path not allowed: ROOT/app holds .env, which the owner of this server denied (--deny)',
    );
  });

  it('is listed, but no search finds its content', async () => {
    expect(await call('replay', 'list_directory', { path: root })).toContain('.env');
    expect(await call('replay', 'grep_files', { pattern: 'KEY', path: root })).not.toContain('KEY=');
    expect(await call('repo', 'search_files', { pattern: 'KEY' })).not.toContain('KEY=');
  });
});

describe('a hidden file', () => {
  it('is reported missing in the same words as any missing file', async () => {
    for (const [dialect, tool, args] of [
      ['replay', 'read_file', (path: string) => ({ path: at(path) })],
      ['workspace', 'read_file', (file: string) => ({ file })],
      ['repo', 'read_file', (path: string) => ({ path })],
    ] as const) {
      const hidden = await call(dialect, tool, args('sub/plan.md'));
      expect(hidden).not.toBe('');
      expect(hidden.replaceAll('plan.md', 'none.md')).toBe(await call(dialect, tool, args('sub/none.md')));
    }
    expect(await call('replay', 'list_directory', { path: at('sub') })).not.toContain('plan.md');
  });

  it('cannot be created, and the error does not say why', async () => {
    expect(await call('replay', 'write_file', { path: at('plan.md'), content: 'x' })).toMatch(
      /Path not allowed: ROOT\/plan.md cannot be created\s*$/,
    );
    expect(readdirSync(root)).not.toContain('plan.md');
  });

  it('keeps its directory from being moved, and the error does not name it', async () => {
    expect(await call('replay', 'move_file', { source: at('sub'), destination: at('moved') })).toContain(
      'ROOT/sub cannot be moved: it holds entries that this server does not serve',
    );
  });
});

describe('.cofferdamignore', () => {
  it('cannot be created by a tool', async () => {
    expect(
      await call('replay', 'write_file', { path: at('.cofferdamignore'), content: 'a.txt' }, []),
    ).toContain(
      'ROOT/.cofferdamignore cannot be changed: it says what this server hides, and only its owner may say that',
    );
    expect(readdirSync(root)).not.toContain('.cofferdamignore');
  });
});

describe('rules that cannot be read', () => {
  it('end the start with a clear message', async () => {
    expect(await call('replay', 'list_directory', { path: root }, ['--deny', '['])).toBe(
      'cofferdam: bad-glob: "[": as a line of a .gitignore file it matches nothing\n',
    );
  });
});
