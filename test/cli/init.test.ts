/** `cofferdam init` in a separate home directory, and the built program started with the entries that it wrote. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { clients } from '../../src/cli/clients/table.ts';
import { program } from '../client.ts';
import { runInProcess } from '../in-process.ts';

let home: string;
let app: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'init-')));
  app = join(home, 'my app');
  mkdirSync(app);
  writeFileSync(join(app, 'a.txt'), 'in my app\n');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function init(...args: string[]) {
  return runInProcess(['init', ...args], { cwd: app, env: { HOME: home, PATH: '/nowhere' } });
}

function put(name: string, text: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const triedBefore = new Map<string, ReturnType<typeof start>>();

/** What a server with this command line answers. Most clients have the same command line, which is run only once. */
function tried(words: readonly string[]) {
  const line = JSON.stringify(words).replaceAll(home, '~');
  const known = triedBefore.get(line) ?? start(words);
  triedBefore.set(line, known);
  return known;
}

function start([command, ...args]: readonly string[]) {
  const clientInfo = { name: 'test', version: '1' };
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'read_text_file', arguments: { path: 'a.txt' } } },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const { stdout } = spawnSync(command!, args, { cwd: '/', env: { HOME: home }, encoding: 'utf8', input });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const result = (id: number) => answers.find((answer) => answer.id === id).result;
  return {
    server: result(1).serverInfo.name,
    tools: result(2).tools.length,
    text: result(3).content[0].text,
  };
}

interface Values extends Record<string, unknown> {}

/** The command line in an entry, in whichever form its client stores it. */
function launchIn(path: string, keys: readonly string[]): string[] {
  const text = readFileSync(path, 'utf8');
  const parsers = { toml: parseToml, yaml: parseYaml } as Record<string, (text: string) => unknown>;
  const values = (parsers[path.split('.').at(-1)!] ?? JSON.parse)(text);
  const entry = [...keys, 'cofferdam'].reduce((value, key) => value[key] as Values, values as Values);
  return [entry.command ?? entry.cmd, entry.args ?? []].flat() as string[];
}

/** The words of a line as a POSIX shell splits them. */
function wordsOf(line: string): string[] {
  const { stdout } = spawnSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

const working = { server: 'cofferdam', text: 'in my app\n' };

describe.each(clients)('$name', ({ id, name, keys, addCommand, link }) => {
  it('gets an entry that starts the server from any directory', async () => {
    const { stdout, status } = await init(id, '--write');
    expect(status).toBe(0);
    const path = /^Added 'cofferdam' to (.*)\.$/m.exec(stdout)![1]!;
    expect(path.startsWith(`${home}/`)).toBe(true);
    expect(tried(launchIn(path, keys))).toMatchObject(working);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await init(id, '--write')).stdout).toContain('nothing was changed');
    expect((await init(id, '--remove')).status).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  it('shows that entry, its own command and its link, and changes nothing', async () => {
    const before = readdirSync(home);
    const { stdout } = await init(id, '--read-only');
    expect(stdout).toContain(`${name} reads ${home}/`);
    expect(readdirSync(home)).toEqual(before);
    const line = /^ {2}(\w+ (?:mcp add|--add-mcp) .*)$/m.exec(stdout)?.[1];
    expect(line !== undefined).toBe(addCommand !== undefined);
    if (line !== undefined && id !== 'vscode') {
      const words = wordsOf(line).filter((word) => word !== '--');
      expect(tried(words.slice(words.indexOf(process.execPath)))).toMatchObject(working);
    }
    const address = /^ {2}((?:vscode|cursor):.*)$/m.exec(stdout)?.[1];
    expect(address !== undefined).toBe(link !== undefined);
    if (address !== undefined) {
      const config = new URL(address).searchParams.get('config');
      const json =
        config === null
          ? decodeURIComponent(address.split('?')[1]!)
          : Buffer.from(config, 'base64').toString();
      const { command, args } = JSON.parse(json);
      expect(tried([command, ...args])).toMatchObject(working);
    }
  });
});

it('writes to the file of one project', async () => {
  for (const { id, keys, project } of clients.filter(({ id }) => id === 'vscode' || id === 'codex')) {
    await init(id, '--scope', 'project', '--write', app);
    const path = join(app, project![0]!);
    expect(tried(launchIn(path, keys))).toMatchObject(working);
    await init(id, '--scope', 'project', '--remove', app);
    expect(existsSync(path)).toBe(false);
  }
});

describe('an existing file', () => {
  const text = '\uFEFF{\r\n\t// mine\r\n\t"mcpServers": {},\r\n}';

  it('keeps its other bytes, its mode and the link to it, and is restored exactly', async () => {
    const path = put('dotfiles/mcp.json', text);
    chmodSync(path, 0o640);
    mkdirSync(join(home, '.cursor'));
    const link = join(home, '.cursor/mcp.json');
    symlinkSync('../dotfiles/mcp.json', link);
    await init('cursor', '--write');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    const written = readFileSync(path, 'utf8');
    expect(written.startsWith('\uFEFF{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"cofferdam": {')).toBe(true);
    expect(written).not.toMatch(/[^\r]\n/);
    expect(readFileSync(`${path}.before-cofferdam`, 'utf8')).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect((await init('cursor', '--remove')).stdout).toContain('as it was before');
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(dirname(path))).toEqual(['mcp.json']);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it('is also restored exactly after the entry was replaced', async () => {
    const path = put('.codex/config.toml', 'model = "x" # mine');
    await init('codex', '--write');
    const other = await init('codex', '--write', '--read-only');
    expect(other).toMatchObject({ status: 2, stdout: '' });
    expect(other.stderr).toContain(`has another entry 'cofferdam': --force replaces it`);
    expect((await init('codex', '--write', '--read-only', '--force')).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('"--read-only"');
    await init('codex', '--remove');
    expect(readFileSync(path, 'utf8')).toBe('model = "x" # mine');
  });

  it('keeps what was written to it after the entry was added', async () => {
    const path = put(
      '.config/goose/config.yaml',
      'extensions:\n  a:\n    enabled: false\nMODE: auto # mine\n',
    );
    await init('goose', '--write');
    writeFileSync(path, `${readFileSync(path, 'utf8')}# later\n`);
    await init('goose', '--remove');
    expect(readFileSync(path, 'utf8')).toBe(
      'extensions:\n  a:\n    enabled: false\nMODE: auto # mine\n# later\n',
    );
  });

  it('stays unchanged if it does not parse, and the error names line and column', async () => {
    const path = put('.gemini/settings.json', '{\n  "a": 1\n  "b": 2\n}\n');
    const { status, stderr } = await init('gemini', '--write');
    expect(status).toBe(2);
    expect(stderr).toContain(`${path}:3:3: it is not JSON (comma expected); nothing was changed`);
    expect(readdirSync(dirname(path))).toEqual(['settings.json']);
    expect(readFileSync(path, 'utf8')).toBe('{\n  "a": 1\n  "b": 2\n}\n');
  });

  it('stays unchanged if it is not UTF-8, or if it is a dangling link', async () => {
    const path = put('.cursor/mcp.json', '');
    writeFileSync(path, Buffer.from('{"a": "ü"}', 'latin1'));
    expect((await init('cursor', '--write')).stderr).toContain('is not UTF-8 text: nothing was changed');
    rmSync(path);
    symlinkSync('gone.json', path);
    expect((await init('cursor', '--write')).stderr).toContain('is a link to a file that does not exist');
    expect(readdirSync(dirname(path))).toEqual(['mcp.json']);
  });
});

describe('init', () => {
  it('lists the clients, and which of them are installed', async () => {
    mkdirSync(join(home, '.cursor'));
    const { stdout } = await init();
    for (const { id } of clients) expect(stdout).toMatch(new RegExp(`^  ${id} +(not )?found `, 'm'));
    expect(stdout).toMatch(/^ {2}cursor +found /m);
    expect(stdout).toMatch(/^ {2}zed +not found /m);
  });

  it('puts options, several directories and another name into the entry', async () => {
    await init(
      'cursor',
      '--write',
      '--name',
      'docs',
      '--dialect',
      'repo,standard',
      '--deny',
      '*.env',
      '.:ro',
      '..',
    );
    const { docs } = JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).mcpServers;
    expect(docs.args).toEqual([program, '--dialect', 'repo,standard', '--deny', '*.env', `${app}:ro`, home]);
  });

  it.each([
    [['curser'], 'did you mean cursor?'],
    [['--write'], 'say which client'],
    [['cursor', '--write', '--remove'], 'exclude each other'],
    [['cursor', '--scope', 'global'], '--scope is user or project'],
    [['goose', '--scope', 'project'], 'has no file for a project'],
    [['cursor', 'nowhere'], 'no such directory'],
    [['cursor', '--state', 'postgres://me:secret@h/d', 'x=y'], 'give init a --state-file'],
    [['cursor', '--name', 'a b'], '--name takes'],
  ])('%j is refused', async (args, message) => {
    const { status, stderr } = await init(...args);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});
