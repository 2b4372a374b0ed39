/** The changes of commands are found and shown, and can be undone where the old contents were copied. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { entryLine } from '../../../../src/cli/history/entry-line.ts';
import { History, type JournalEntry } from '../../../../src/engine/index.ts';
import { InProcessClient, runInProcess } from '../../../in-process.ts';
import { layOut, readBack, temporaryDirectory } from '../../../tree.ts';

const TREE = {
  'a.txt': 'one\ntwo\n',
  'b.txt': 'b\n',
  'run.sh': { text: '#!/bin/sh\n', mode: '755' },
  'd/x.txt': 'x\n',
  'd/deep/y.txt': 'y\n',
  'd/link': { link: 'deep/y.txt' },
  'd/none/': '',
} as const;

const bubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

let fixture: Fixture;
afterEach(() => fixture.close());

interface Fixture {
  root: string;
  client: InProcessClient;
  history: History;
  run(command: string, more?: object): Promise<string>;
  newest(): Promise<JournalEntry>;
  traced(): Promise<{ note?: string; paths: { path: string; how: string }[] }[]>;
  close(): Promise<void>;
}

async function open(...options: string[]): Promise<Fixture> {
  const root = temporaryDirectory();
  const state = temporaryDirectory();
  layOut(root.path, TREE);
  const client = await InProcessClient.start([
    '--dialect',
    'replay,workspace',
    ...options,
    '--state',
    state.path,
    root.path,
  ]);
  const history = new History(state.path);
  return {
    root: root.path,
    client,
    history,
    async run(command, more = {}) {
      const { result, error } = await client.call('execute_command', { command, ...more });
      if (!result) throw new Error(JSON.stringify(error));
      return result.content.map(({ text }) => text).join('\n');
    },
    newest: async () => (await history.entries())[0]!,
    async traced() {
      const { stdout } = await runInProcess(['trace', '--json', '--state', state.path]);
      return stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line));
    },
    async close() {
      await client.end();
      root.remove();
      state.remove();
    },
  };
}

const kinds = ({ changes }: JournalEntry) =>
  Object.fromEntries(changes.map(({ kind, path }) => [path.slice(fixture.root.length + 1), kind]));

const COMMANDS: [string, string, Record<string, string>][] = [
  ['an edit in place', "sed -i 's/two/2/' a.txt", { 'a.txt': 'changed' }],
  ['a file that is removed', 'rm b.txt run.sh', { 'b.txt': 'removed', 'run.sh': 'removed' }],
  ['directories that are made', 'mkdir -p p/q/r', { p: 'created', 'p/q': 'created', 'p/q/r': 'created' }],
  ['a file that is moved', 'mv a.txt d/moved.txt', { 'a.txt': 'removed', 'd/moved.txt': 'created' }],
  [
    'what is redirected',
    'echo new > new.txt; echo more >> a.txt',
    { 'new.txt': 'created', 'a.txt': 'changed' },
  ],
  [
    'a tree that is removed',
    'rm -rf d',
    {
      d: 'removed',
      'd/x.txt': 'removed',
      'd/deep': 'removed',
      'd/deep/y.txt': 'removed',
      'd/link': 'removed',
      'd/none': 'removed',
    },
  ],
  [
    'a file where a directory was',
    'rm -rf d/deep && echo file > d/deep',
    { 'd/deep': 'created', 'd/deep/y.txt': 'removed' },
  ],
];

describe.each([
  ['without a sandbox', ['--sandbox', 'off'], true],
  ['in bubblewrap, where that works', ['--sandbox', 'require'], bubblewrap],
] as const)('%s', (_, options, possible) => {
  test.skipIf(!possible)('the changes of every command are found, undone and redone', async () => {
    fixture = await open(...options);
    const before = readBack(fixture.root);
    for (const [what, command, changed] of COMMANDS) {
      await fixture.run(command);
      const after = readBack(fixture.root);
      const entry = await fixture.newest();
      expect([what, kinds(entry)]).toEqual([what, changed]);
      expect(entry).toMatchObject({ state: 'done', origin: { tool: 'execute_command' } });
      expect(await fixture.history.undo(entry.id)).toMatchObject({ done: true });
      expect([what, readBack(fixture.root)]).toEqual([what, before]);
      expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({ done: true });
      expect([what, readBack(fixture.root)]).toEqual([what, after]);
      expect(await fixture.history.undo(entry.id)).toMatchObject({ done: true });
      expect([what, readBack(fixture.root)]).toEqual([what, before]);
    }
    expect(statSync(join(fixture.root, 'run.sh')).mode & 0o777).toBe(0o755);
  });

  test.skipIf(!possible)('the changes of developer tools are found too', async () => {
    fixture = await open(...options, '--allow-command', 'touch');
    const before = readBack(fixture.root);
    await fixture.client.text('run_command', { command: 'touch', args: ['made.txt'] });
    const entry = await fixture.newest();
    expect(entry).toMatchObject({ origin: { tool: 'run_command' }, changes: [{ kind: 'created' }] });
    expect(await fixture.history.undo(entry.id)).toMatchObject({ done: true });
    expect(readBack(fixture.root)).toEqual(before);
  });
});

test('undo restores the mode and the content of a file that a command replaced with another one', async () => {
  fixture = await open('--sandbox', 'off');
  const at = (path: string) => join(fixture.root, path);
  const modes = () => ['run.sh', 'a.txt'].map((path) => statSync(at(path)).mode & 0o777);
  const undo = async () => fixture.history.undo((await fixture.newest()).id);
  chmodSync(at('a.txt'), 0o640);
  await fixture.run('echo echo >> b.txt; mv run.sh t; mv b.txt run.sh; cp t b.txt; chmod 600 run.sh');
  const alone = await fixture.newest();
  expect(await fixture.history.undo(alone.id)).toMatchObject({ done: true });
  expect(modes()).toEqual([0o755, 0o640]);

  await fixture.run('mv a.txt t; mv run.sh a.txt; mv t run.sh');
  expect(modes()).toEqual([0o640, 0o755]);
  expect(await undo()).toMatchObject({ done: true });
  expect(modes()).toEqual([0o755, 0o640]);
  expect(await undo()).toMatchObject({ done: true });
  expect(modes()).toEqual([0o640, 0o755]);
  chmodSync(at('run.sh'), 0o700);
  expect(await undo()).toMatchObject({ done: true });
  // This mode was set after the command.
  expect(modes()).toEqual([0o700, 0o640]);
});

test('a command that creates many files makes one entry, and is undone as one', async () => {
  fixture = await open('--sandbox', 'off');
  const before = readBack(fixture.root);
  await fixture.run('mkdir -p out/lib && for n in $(seq 300); do echo $n > out/lib/$n.js; done; rm d/x.txt');
  const entry = await fixture.newest();
  expect(entry.changes).toHaveLength(303);
  expect(await fixture.history.undo(entry.id)).toMatchObject({ done: true });
  expect(readBack(fixture.root)).toEqual(before);
});

test('a command that changes no content makes no entry', async () => {
  fixture = await open('--sandbox', 'off');
  writeFileSync(join(fixture.root, 'large.bin'), Buffer.alloc(1_000_000, 1));
  for (const command of [
    'touch a.txt',
    'chmod 600 a.txt large.bin',
    'cat a.txt',
    'true',
    'cp a.txt t && mv t a.txt',
    'false',
  ]) {
    await fixture.run(command);
    expect([command, await fixture.history.entries()]).toEqual([command, []]);
  }
});

test('undo names what could not be kept, and --force undoes the rest', async () => {
  fixture = await open('--sandbox', 'off');
  writeFileSync(join(fixture.root, 'large.bin'), Buffer.alloc(1_000_000, 1));
  await fixture.run('echo more >> large.bin; echo more >> a.txt');
  const entry = await fixture.newest();
  const outcome = await fixture.history.undo(entry.id);
  expect(outcome).toMatchObject({ done: false, obstacles: [{ why: expect.stringContaining('too large') }] });
  expect(readFileSync(join(fixture.root, 'a.txt'), 'utf8')).toBe('one\ntwo\nmore\n');
  expect(await fixture.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
  expect(readFileSync(join(fixture.root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(statSync(join(fixture.root, 'large.bin')).size).toBe(1_000_005);
});

test('a snapshot skips .git and node_modules, and undo does not claim that they were kept', async () => {
  fixture = await open('--sandbox', 'off');
  layOut(fixture.root, { '.git/HEAD': 'ref\n', 'node_modules/left/index.js': '1\n' });
  await fixture.run('echo other > .git/HEAD; echo 2 > node_modules/left/index.js');
  expect(await fixture.history.entries()).toEqual([]);
  await fixture.run('rm -rf node_modules');
  expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({
    done: false,
    obstacles: [{ path: join(fixture.root, 'node_modules'), why: expect.stringContaining('not kept') }],
  });
  expect(existsSync(join(fixture.root, 'node_modules'))).toBe(false);
});

test('undo removes new directories that no snapshot enters, unless they were changed since', async () => {
  fixture = await open('--sandbox', 'off');
  const before = readBack(fixture.root);
  const make = 'mkdir -p p/node_modules/x .git/y; echo 1 > p/node_modules/x/i; echo 2 > .git/y/z';
  await fixture.run(make);
  const after = readBack(fixture.root);
  const entry = await fixture.newest();
  expect(kinds(entry)).toEqual({ p: 'created', 'p/node_modules': 'created', '.git': 'created' });
  expect(await fixture.history.undo(entry.id)).toMatchObject({ done: true });
  expect(readBack(fixture.root)).toEqual(before);
  expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({ done: true });
  expect(readBack(fixture.root)).toEqual(after);
  expect(await fixture.history.undo(entry.id)).toMatchObject({ done: true });

  await fixture.run(make);
  writeFileSync(join(fixture.root, 'p/node_modules/x/i'), 'theirs\n');
  expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({
    done: false,
    obstacles: [
      { path: join(fixture.root, 'p/node_modules'), why: 'what is in it was changed since', forceable: true },
    ],
  });
});

test('the answer of a command and the history name what undo cannot restore', async () => {
  fixture = await open('--sandbox', 'off');
  writeFileSync(join(fixture.root, 'large'), 'x'.repeat(300 * 1024));
  writeFileSync(join(fixture.root, '.env'), 'x');
  const { result } = await fixture.client.call('execute_command', { command: 'rm large .env b.txt' });
  const note = result!.content.at(-1)!.text!;
  expect(note).toMatch(/^\[undo cannot restore all of this: .*too large.*\]$/);
  expect(note).toContain(`${JSON.stringify(join(fixture.root, '.env'))}: its name suggests a secret`);
  expect(note).not.toContain('b.txt');
  expect(entryLine(await fixture.newest(), 'execute_command')).toContain('(2 of 3 cannot be undone)');
  const harmless = await fixture.client.call('execute_command', { command: 'rm a.txt' });
  expect(harmless.result!.content).toHaveLength(1);
});

describe('names and link targets that are not valid UTF-8', () => {
  const raw = (path: string) => Buffer.concat([Buffer.from(`${fixture.root}/`), Buffer.from(path, 'latin1')]);

  test('a link is restored as it was, whatever its target is', async () => {
    fixture = await open('--sandbox', 'off');
    symlinkSync(Buffer.from('x\xe9y', 'latin1'), join(fixture.root, 'd/latin'));
    await fixture.run('rm -rf d');
    expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({ done: true });
    expect(readlinkSync(join(fixture.root, 'd/latin'), { encoding: 'latin1' })).toBe('x\xe9y');
  });

  test('a removed name is reported as not kept, and --force undoes the rest', async () => {
    fixture = await open('--sandbox', 'off');
    writeFileSync(raw('d/caf\xe9.txt'), 'latin');
    await fixture.run('rm -rf d');
    const entry = await fixture.newest();
    const at = join(fixture.root, 'd/caf\\xe9.txt');
    expect(await fixture.history.undo(entry.id)).toMatchObject({
      done: false,
      obstacles: [{ path: at, why: expect.stringContaining('not valid UTF-8'), forceable: true, left: true }],
    });
    const plan = (await fixture.history.plan(entry.id))!;
    expect(plan.steps).toContainEqual({ path: at, does: 'leave as it is' });
    expect(plan.diffs.map(({ path }) => path)).not.toContain(at);
    expect(await fixture.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
    expect(readBack(fixture.root)).toEqual(laidOut());
  });

  test('a forced undo leaves a file that may be a copy of a removed one', async () => {
    fixture = await open('--sandbox', 'off');
    writeFileSync(raw('caf\xe9.txt'), 'latin');
    await fixture.run('mv caf* plain.txt; echo hi > small');
    const { id } = await fixture.newest();
    expect(await fixture.history.undo(id, { force: true })).toMatchObject({ done: true });
    expect(readFileSync(join(fixture.root, 'plain.txt'), 'utf8')).toBe('latin');
    expect(existsSync(join(fixture.root, 'small'))).toBe(false);
  });

  test('a new or changed name is reported too, and left; one in a new directory is removed with that', async () => {
    fixture = await open('--sandbox', 'off');
    writeFileSync(raw('old\xe9'), 'old');
    await fixture.run("printf 1 > $(printf 'new\\351'); printf 2 > $(printf 'old\\351'); echo c > c.txt");
    const entry = await fixture.newest();
    expect(kinds(entry)).toEqual({ 'new\\xe9': 'created', 'old\\xe9': 'changed', 'c.txt': 'created' });
    expect(await fixture.history.undo(entry.id)).toMatchObject({ done: false });
    expect(await fixture.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
    expect(existsSync(join(fixture.root, 'c.txt'))).toBe(false);
    expect([readFileSync(raw('new\xe9'), 'utf8'), readFileSync(raw('old\xe9'), 'utf8')]).toEqual(['1', '2']);

    await fixture.run(
      "mkdir -p p/q; echo t > p/q/t; mkdir $(printf 'p/q/\\351'); echo i > $(printf 'p/q/\\351/i')",
    );
    expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({ done: true });
    expect(existsSync(join(fixture.root, 'p'))).toBe(false);
    expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({ done: true });
    expect(readFileSync(raw('p/q/\xe9/i'), 'utf8')).toBe('i\n');
  });
});

describe('a file that is too large to be kept', () => {
  const large = Buffer.alloc(300_000, 7);
  const contentAt = (path: string) => readFileSync(join(fixture.root, path));

  test('is moved back when the command only moved it', async () => {
    fixture = await open('--sandbox', 'off');
    layOut(fixture.root, { 'node_modules/left/index.js': '1\n', 'nm/right/index.js': '2\n' });
    for (const path of ['large', 'd/deep/large', 'log']) writeFileSync(join(fixture.root, path), large);
    const before = readBack(fixture.root);
    for (const command of [
      'mv large large2',
      'mv log log.1; echo new > log',
      'mkdir -p q/r; mv large q/r/l; mv d q/d; mv node_modules q/nm',
      'mv node_modules x; mv nm .git',
      'mv d/deep/large l; rm -rf d; echo file > d',
      'ln large hard; mv large soft; ln -s soft large',
    ]) {
      await fixture.run(command);
      const after = readBack(fixture.root);
      const entry = await fixture.newest();
      expect([command, await fixture.history.undo(entry.id)]).toMatchObject([command, { done: true }]);
      expect([command, readBack(fixture.root)]).toEqual([command, before]);
      expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({ done: true });
      expect([command, readBack(fixture.root)]).toEqual([command, after]);
      expect(await fixture.history.undo(entry.id)).toMatchObject({ done: true });
      expect([command, readBack(fixture.root)]).toEqual([command, before]);
    }
  });

  test('is not reported as restored, and a file that may be a copy of it is left', async () => {
    fixture = await open('--sandbox', 'off');
    writeFileSync(join(fixture.root, 'large'), large);
    await fixture.run('mkdir p; cp large p/copy; rm large; echo hi > small');
    const entry = await fixture.newest();
    const outcome = await fixture.history.undo(entry.id);
    expect(outcome).toMatchObject({ done: false });
    expect(
      Object.fromEntries(
        (await fixture.history.plan(entry.id))!.steps.map(({ path, does }) => [
          path.slice(fixture.root.length + 1),
          does,
        ]),
      ),
    ).toEqual({ p: 'leave as it is', 'p/copy': 'leave as it is', large: 'leave as it is', small: 'remove' });
    expect(await fixture.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
    expect(contentAt('p/copy').equals(large)).toBe(true);
    expect(existsSync(join(fixture.root, 'small'))).toBe(false);
  });

  test('keeps its copy when it was changed itself, even a copy in an older file', async () => {
    fixture = await open('--sandbox', 'off');
    writeFileSync(join(fixture.root, 'x'), 'x');
    const commands = {
      'large.orig': 'cp large large.orig; echo more >> large; echo hi > small',
      x: 'mv large t; mv x large; mv t x; echo hi > small',
    };
    for (const [copy, command] of Object.entries(commands)) {
      writeFileSync(join(fixture.root, 'large'), large);
      await fixture.run(command);
      const { id } = await fixture.newest();
      expect(await fixture.history.undo(id, { force: true })).toMatchObject({ done: true });
      expect(contentAt(copy).equals(large)).toBe(true);
      expect(existsSync(join(fixture.root, 'small'))).toBe(false);
    }
  });

  test('stays where it is when it took the place of something that undo would restore', async () => {
    fixture = await open('--sandbox', 'off');
    writeFileSync(join(fixture.root, 'd/deep/large'), large);
    await fixture.run('mv d/deep/large l; rm -rf d; mv l d; rm b.txt');
    const entry = await fixture.newest();
    expect(await fixture.history.undo(entry.id)).toMatchObject({ done: false });
    expect(await fixture.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
    expect(contentAt('d').equals(large)).toBe(true);
    expect(contentAt('b.txt').toString()).toBe('b\n');
  });

  test('cannot be undone, even by force, when the command changed nothing else', async () => {
    fixture = await open('--sandbox', 'off');
    writeFileSync(join(fixture.root, 'large'), large);
    await fixture.run('rm large');
    const entry = await fixture.newest();
    for (const force of [false, true]) {
      expect(await fixture.history.undo(entry.id, { force })).toMatchObject({
        done: false,
        obstacles: [{ why: expect.stringContaining('too large'), forceable: false }],
      });
    }
    expect(await fixture.newest()).toMatchObject({ id: entry.id, state: 'done' });
  });
});

test('changes that tools make meanwhile are not attributed to the command', async () => {
  fixture = await open('--sandbox', 'off');
  const at = (path: string) => join(fixture.root, path);
  const running = fixture.run(
    'echo begun > begun.txt; while [ ! -e end.txt ]; do sleep 0.02; done; rm begun.txt; echo more >> b.txt',
  );
  while (!existsSync(at('begun.txt'))) await new Promise((resolve) => setTimeout(resolve, 10));
  await fixture.client.text('write_file', { path: at('a.txt'), content: 'by a tool\n' });
  await fixture.client.text('write_file', { path: at('new/by-a-tool.txt'), content: 'by a tool\n' });
  await fixture.client.text('delete_file', { path: at('d') });
  await fixture.client.text('write_file', { path: at('end.txt'), content: '' });
  await running;
  const entry = (await fixture.history.entries()).find(({ found }) => found)!;
  expect(kinds(entry)).toEqual({ 'b.txt': 'changed' });
  for (const { id } of await fixture.history.entries()) {
    expect(await fixture.history.undo(id)).toMatchObject({ done: true });
  }
  expect(readBack(fixture.root)).toEqual(laidOut());
});

test('a command may remove its own working directory', async () => {
  fixture = await open('--sandbox', 'off');
  const before = readBack(fixture.root);
  await fixture.run('cd ..; rm -rf d; echo gone', { workingDirectory: join(fixture.root, 'd') });
  expect(existsSync(join(fixture.root, 'd'))).toBe(false);
  expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({ done: true });
  expect(readBack(fixture.root)).toEqual(before);
});

test('the trace shows what a command changed', async () => {
  fixture = await open('--sandbox', 'off');
  await fixture.run('echo more >> a.txt; rm b.txt; echo new > c.txt');
  const shown = (await fixture.traced())
    .at(-1)!
    .paths.map(({ path, how }) => `${how} ${path.slice(fixture.root.length + 1)}`);
  expect(shown).toEqual(expect.arrayContaining(['changed a.txt', 'removed b.txt', 'created c.txt']));
});

test.skipIf(process.getuid?.() === 0)(
  'a file that the server may not read is reported as not kept (root may read everything)',
  async () => {
    fixture = await open('--sandbox', 'off');
    chmodSync(join(fixture.root, 'b.txt'), 0o200);
    await fixture.run('echo more >> b.txt');
    expect(await fixture.history.undo((await fixture.newest()).id)).toMatchObject({ done: false });
  },
);

function laidOut() {
  const directory = temporaryDirectory();
  layOut(directory.path, TREE);
  const tree = readBack(directory.path);
  directory.remove();
  return tree;
}
