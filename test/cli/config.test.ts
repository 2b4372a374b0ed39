/** `--config FILE`: options and directories from a file, as a user would write it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../in-process.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

let home: { path: string; remove(): void };
beforeEach(() => {
  home = temporaryDirectory();
  layOut(home.path, {
    'served/a.txt': 'hello\n',
    'served/key.pem': 'secret\n',
    'served/note.txt': 'note\n',
    'other/b.txt': 'other\n',
  });
});
afterEach(() => home.remove());

function run(...args: string[]) {
  const env = { ...process.env, HOME: home.path, XDG_STATE_HOME: join(home.path, 'state') };
  return runInProcess(args, { cwd: home.path, env });
}

const write = (path: string, text: string) => layOut(home.path, { [path]: text });
const read = async (path: string, ...args: string[]) =>
  await run('call', 'read_text_file', JSON.stringify({ path }), ...args);

describe.each([
  ['conf/c.json', '{\n  // what is served\n  "directories": ["../served"], "deny": ["*.pem"],\n}\n'],
  ['conf/c.toml', '[tool]\nx = 1\n[cofferdam]\ndirectories = ["../served"]\ndeny = ["*.pem"]\n'],
])('%s', async (file, text) => {
  beforeEach(() => write(file, text));

  it('sets options, and directories relative to itself', async () => {
    expect((await read('a.txt', '--config', file)).stdout).toContain('hello');
    expect(await read('key.pem', '--config', file)).toMatchObject({ status: 1 });
  });

  it('is overridden by the command line, except that denied globs add up', async () => {
    expect((await read('b.txt', '--config', file, 'other')).stdout).toContain('other');
    const both = ['--config', file, '--deny', 'note*'];
    expect((await read('key.pem', ...both)).status).toBe(1);
    expect((await read('note.txt', ...both)).status).toBe(1);
    expect((await read('a.txt', ...both)).status).toBe(0);
  });
});

it('--config applies only the options that fit the command', async () => {
  write('conf/c.json', '{"directories": ["~/served"], "read-only": true, "http": "7440"}');
  expect((await read('a.txt', '--config', 'conf/c.json')).stdout).toContain('hello');
  const call = await run('call', 'write_file', '{"path":"a.txt","content":""}', '--config', 'conf/c.json');
  expect(call.status).not.toBe(0);
  expect(await run('history', '--config', 'conf/c.json')).toMatchObject({ status: 0 });
});

it.each([
  ['not JSON', '{"deny": [}', 'conf/c.json:1:11: it is not JSON'],
  ['an unknown option', '{"dney": []}', 'unknown option "dney"; did you mean deny?'],
  ['an option of one start', '{"new-token": true}', 'new-token is for the command line only'],
  ['a switch with a text', '{"read-only": "yes"}', 'read-only is true or false'],
  ['several values for one', '{"state": ["a", "b"]}', 'state takes one value'],
  ['an object for a value', '{"deny": [{}]}', 'deny takes texts'],
  ['a list', '[]', 'it must hold one object'],
  ['a password', '{"state": "postgres://u:p@h/d"}', 'give a state-file'],
])('--config says what is wrong with %s', async (_, text, message) => {
  write('conf/c.json', text);
  const { status, stderr } = await run('--config', 'conf/c.json', 'served');
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(stderr).not.toContain('u:p');
});

it('--config says that a file does not exist, or that TOML has no table [cofferdam]', async () => {
  expect((await run('--config', 'no.json', 'served')).stderr).toContain(
    '--config no.json: it cannot be read (ENOENT)',
  );
  write('conf/c.toml', 'deny = ["x"]\n');
  expect((await run('--config', 'conf/c.toml', 'served')).stderr).toContain('it has no table [cofferdam]');
});

it('--config refuses a file that tools could change, whatever its path', async () => {
  write('served/c.json', '{"directories": ["."]}');
  const refused = { status: 2, stderr: expect.stringContaining('tools may change this file') };
  expect(await read('a.txt', '--config', 'served/c.json')).toMatchObject(refused);
  expect(await read('a.txt', '--config', 'served/../served/c.json', '.')).toMatchObject(refused);
  expect((await read('a.txt', '--config', 'served/c.json', 'served:ro')).stdout).toContain('hello');
});

it('init writes the absolute path of the --config file into the entry', async () => {
  write('conf/c.json', '{"directories": ["../served"]}');
  const { stdout } = await run('init', 'cursor', '--config', 'conf/c.json');
  expect(stdout).toContain(`"--config",\n        "${join(home.path, 'conf/c.json')}"\n      ]`);
});

it('the schema of the configuration accepts what the program accepts', () => {
  const schema = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../docs/cofferdam.schema.json'), 'utf8'),
  );
  const validator = new Validator(schema, '2020-12', false);
  const good = {
    $schema: 'x',
    directories: ['~/a'],
    deny: ['x'],
    'read-only': true,
    'max-tokens': 5,
    sandbox: 'off',
  };
  expect(validator.validate(good).errors).toEqual([]);
  for (const bad of [
    { dney: [] },
    { 'read-only': 'yes' },
    { sandbox: 'maybe' },
    { config: 'x' },
    { deny: [{}] },
  ])
    expect(validator.validate(bad).valid, JSON.stringify(bad)).toBe(false);
});
