/** What commands change in the directories: found, shown, and undone where its before-image was taken. */
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
import { History, type JournalEntry } from '../../../../src/engine/index.ts';
import { program, RawClient } from '../../../client.ts';
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

let stage: Stage;
afterEach(() => stage.close());

interface Stage {
  root: string;
  client: RawClient;
  history: History;
  run(command: string, more?: object): Promise<string>;
  newest(): Promise<JournalEntry>;
  traced(): { note?: string; paths: { path: string; how: string }[] }[];
  close(): Promise<void>;
}

async function open(...options: string[]): Promise<Stage> {
  const root = temporaryDirectory();
  const state = temporaryDirectory();
  layOut(root.path, TREE);
  const client = await RawClient.start([
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
    traced() {
      const { stdout } = spawnSync(process.execPath, [program, 'trace', '--json', '--state', state.path], {
        encoding: 'utf8',
      });
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
  Object.fromEntries(changes.map(({ kind, path }) => [path.slice(stage.root.length + 1), kind]));

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
  test.skipIf(!possible)('every command’s changes are found, undone and done again', async () => {
    stage = await open(...options);
    const before = readBack(stage.root);
    for (const [what, command, changed] of COMMANDS) {
      await stage.run(command);
      const after = readBack(stage.root);
      const entry = await stage.newest();
      expect([what, kinds(entry)]).toEqual([what, changed]);
      expect(entry).toMatchObject({ state: 'done', origin: { tool: 'execute_command' } });
      expect(await stage.history.undo(entry.id)).toMatchObject({ done: true });
      expect([what, readBack(stage.root)]).toEqual([what, before]);
      expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({ done: true });
      expect([what, readBack(stage.root)]).toEqual([what, after]);
      expect(await stage.history.undo(entry.id)).toMatchObject({ done: true });
      expect([what, readBack(stage.root)]).toEqual([what, before]);
    }
    expect(statSync(join(stage.root, 'run.sh')).mode & 0o777).toBe(0o755);
  });

  test.skipIf(!possible)('a developer tool’s changes are found too', async () => {
    stage = await open(...options, '--allow-command', 'touch');
    const before = readBack(stage.root);
    await stage.client.text('run_command', { command: 'touch', args: ['made.txt'] });
    const entry = await stage.newest();
    expect(entry).toMatchObject({ origin: { tool: 'run_command' }, changes: [{ kind: 'created' }] });
    expect(await stage.history.undo(entry.id)).toMatchObject({ done: true });
    expect(readBack(stage.root)).toEqual(before);
  });
});

test('a command that makes many files is one entry, and undone as one', async () => {
  stage = await open('--sandbox', 'off');
  const before = readBack(stage.root);
  await stage.run('mkdir -p out/lib && for n in $(seq 300); do echo $n > out/lib/$n.js; done; rm d/x.txt');
  const entry = await stage.newest();
  expect(entry.changes).toHaveLength(303);
  expect(await stage.history.undo(entry.id)).toMatchObject({ done: true });
  expect(readBack(stage.root)).toEqual(before);
});

test('what leaves the contents alone makes no entry', async () => {
  stage = await open('--sandbox', 'off');
  writeFileSync(join(stage.root, 'large.bin'), Buffer.alloc(1_000_000, 1));
  for (const command of [
    'touch a.txt',
    'chmod 600 a.txt large.bin',
    'cat a.txt',
    'true',
    'cp a.txt t && mv t a.txt',
    'false',
  ]) {
    await stage.run(command);
    expect([command, await stage.history.entries()]).toEqual([command, []]);
  }
});

test('what could not be kept is said, and the rest is undone by force', async () => {
  stage = await open('--sandbox', 'off');
  writeFileSync(join(stage.root, 'large.bin'), Buffer.alloc(1_000_000, 1));
  await stage.run('echo more >> large.bin; echo more >> a.txt');
  const entry = await stage.newest();
  const outcome = await stage.history.undo(entry.id);
  expect(outcome).toMatchObject({ done: false, obstacles: [{ why: expect.stringContaining('too large') }] });
  expect(readFileSync(join(stage.root, 'a.txt'), 'utf8')).toBe('one\ntwo\nmore\n');
  expect(await stage.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
  expect(readFileSync(join(stage.root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(statSync(join(stage.root, 'large.bin')).size).toBe(1_000_005);
});

test('what is in .git and node_modules is not looked at, and not called kept', async () => {
  stage = await open('--sandbox', 'off');
  layOut(stage.root, { '.git/HEAD': 'ref\n', 'node_modules/left/index.js': '1\n' });
  await stage.run('echo other > .git/HEAD; echo 2 > node_modules/left/index.js');
  expect(await stage.history.entries()).toEqual([]);
  await stage.run('rm -rf node_modules');
  expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({
    done: false,
    obstacles: [{ path: join(stage.root, 'node_modules'), why: expect.stringContaining('not kept') }],
  });
  expect(existsSync(join(stage.root, 'node_modules'))).toBe(false);
});

test('new directories that are not looked through go with the undo, unless somebody changed them since', async () => {
  stage = await open('--sandbox', 'off');
  const before = readBack(stage.root);
  const make = 'mkdir -p p/node_modules/x .git/y; echo 1 > p/node_modules/x/i; echo 2 > .git/y/z';
  await stage.run(make);
  const after = readBack(stage.root);
  const entry = await stage.newest();
  expect(kinds(entry)).toEqual({ p: 'created', 'p/node_modules': 'created', '.git': 'created' });
  expect(await stage.history.undo(entry.id)).toMatchObject({ done: true });
  expect(readBack(stage.root)).toEqual(before);
  expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({ done: true });
  expect(readBack(stage.root)).toEqual(after);
  expect(await stage.history.undo(entry.id)).toMatchObject({ done: true });

  await stage.run(make);
  writeFileSync(join(stage.root, 'p/node_modules/x/i'), 'theirs\n');
  expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({
    done: false,
    obstacles: [
      { path: join(stage.root, 'p/node_modules'), why: 'what is in it was changed since', forceable: true },
    ],
  });
});

describe('names and link targets that are not valid UTF-8', () => {
  const raw = (path: string) => Buffer.concat([Buffer.from(`${stage.root}/`), Buffer.from(path, 'latin1')]);

  test('a link comes back as it was, whatever it leads to', async () => {
    stage = await open('--sandbox', 'off');
    symlinkSync(Buffer.from('x\xe9y', 'latin1'), join(stage.root, 'd/latin'));
    await stage.run('rm -rf d');
    expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({ done: true });
    expect(readlinkSync(join(stage.root, 'd/latin'), { encoding: 'latin1' })).toBe('x\xe9y');
  });

  test('a removed name is told as not kept, and the rest is undone by force', async () => {
    stage = await open('--sandbox', 'off');
    writeFileSync(raw('d/caf\xe9.txt'), 'latin');
    await stage.run('rm -rf d');
    const entry = await stage.newest();
    const at = join(stage.root, 'd/caf\\xe9.txt');
    expect(await stage.history.undo(entry.id)).toMatchObject({
      done: false,
      obstacles: [{ path: at, why: expect.stringContaining('not valid UTF-8'), forceable: true, left: true }],
    });
    const plan = (await stage.history.plan(entry.id))!;
    expect(plan.steps).toContainEqual({ path: at, does: 'leave as it is' });
    expect(plan.diffs.map(({ path }) => path)).not.toContain(at);
    expect(await stage.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
    expect(readBack(stage.root)).toEqual(laidOut());
  });

  test('a new or changed one is told too, and left; in a new directory it goes with that', async () => {
    stage = await open('--sandbox', 'off');
    writeFileSync(raw('old\xe9'), 'old');
    await stage.run("printf 1 > $(printf 'new\\351'); printf 2 > $(printf 'old\\351'); echo c > c.txt");
    const entry = await stage.newest();
    expect(kinds(entry)).toEqual({ 'new\\xe9': 'created', 'old\\xe9': 'changed', 'c.txt': 'created' });
    expect(await stage.history.undo(entry.id)).toMatchObject({ done: false });
    expect(await stage.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
    expect(existsSync(join(stage.root, 'c.txt'))).toBe(false);
    expect([readFileSync(raw('new\xe9'), 'utf8'), readFileSync(raw('old\xe9'), 'utf8')]).toEqual(['1', '2']);

    await stage.run(
      "mkdir -p p/q; echo t > p/q/t; mkdir $(printf 'p/q/\\351'); echo i > $(printf 'p/q/\\351/i')",
    );
    expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({ done: true });
    expect(existsSync(join(stage.root, 'p'))).toBe(false);
    expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({ done: true });
    expect(readFileSync(raw('p/q/\xe9/i'), 'utf8')).toBe('i\n');
  });
});

describe('what is too large to be kept', () => {
  const large = Buffer.alloc(300_000, 7);
  const contentAt = (path: string) => readFileSync(join(stage.root, path));

  test('is moved back when the command only moved it', async () => {
    stage = await open('--sandbox', 'off');
    layOut(stage.root, { 'node_modules/left/index.js': '1\n', 'nm/right/index.js': '2\n' });
    for (const path of ['large', 'd/deep/large', 'log']) writeFileSync(join(stage.root, path), large);
    const before = readBack(stage.root);
    for (const command of [
      'mv large large2',
      'mv log log.1; echo new > log',
      'mkdir -p q/r; mv large q/r/l; mv d q/d; mv node_modules q/nm',
      'mv node_modules x; mv nm .git',
      'mv d/deep/large l; rm -rf d; echo file > d',
      'ln large hard; mv large soft; ln -s soft large',
    ]) {
      await stage.run(command);
      const after = readBack(stage.root);
      const entry = await stage.newest();
      expect([command, await stage.history.undo(entry.id)]).toMatchObject([command, { done: true }]);
      expect([command, readBack(stage.root)]).toEqual([command, before]);
      expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({ done: true });
      expect([command, readBack(stage.root)]).toEqual([command, after]);
      expect(await stage.history.undo(entry.id)).toMatchObject({ done: true });
      expect([command, readBack(stage.root)]).toEqual([command, before]);
    }
  });

  test('is not called brought back, and what may be a copy of it is left', async () => {
    stage = await open('--sandbox', 'off');
    writeFileSync(join(stage.root, 'large'), large);
    await stage.run('mkdir p; cp large p/copy; rm large; echo hi > small');
    const entry = await stage.newest();
    const outcome = await stage.history.undo(entry.id);
    expect(outcome).toMatchObject({ done: false });
    expect(
      Object.fromEntries(
        (await stage.history.plan(entry.id))!.steps.map(({ path, does }) => [
          path.slice(stage.root.length + 1),
          does,
        ]),
      ),
    ).toEqual({ p: 'leave as it is', 'p/copy': 'leave as it is', large: 'leave as it is', small: 'remove' });
    expect(await stage.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
    expect(contentAt('p/copy').equals(large)).toBe(true);
    expect(existsSync(join(stage.root, 'small'))).toBe(false);
  });

  test('has its copy left when it was changed itself, also a copy in an older file', async () => {
    stage = await open('--sandbox', 'off');
    writeFileSync(join(stage.root, 'x'), 'x');
    const commands = {
      'large.orig': 'cp large large.orig; echo more >> large; echo hi > small',
      x: 'mv large t; mv x large; mv t x; echo hi > small',
    };
    for (const [copy, command] of Object.entries(commands)) {
      writeFileSync(join(stage.root, 'large'), large);
      await stage.run(command);
      const { id } = await stage.newest();
      expect(await stage.history.undo(id, { force: true })).toMatchObject({ done: true });
      expect(contentAt(copy).equals(large)).toBe(true);
      expect(existsSync(join(stage.root, 'small'))).toBe(false);
    }
  });

  test('stays where it is when it took the place of what would come back', async () => {
    stage = await open('--sandbox', 'off');
    writeFileSync(join(stage.root, 'd/deep/large'), large);
    await stage.run('mv d/deep/large l; rm -rf d; mv l d; rm b.txt');
    const entry = await stage.newest();
    expect(await stage.history.undo(entry.id)).toMatchObject({ done: false });
    expect(await stage.history.undo(entry.id, { force: true })).toMatchObject({ done: true });
    expect(contentAt('d').equals(large)).toBe(true);
    expect(contentAt('b.txt').toString()).toBe('b\n');
  });

  test('cannot be undone even by force when there is nothing else', async () => {
    stage = await open('--sandbox', 'off');
    writeFileSync(join(stage.root, 'large'), large);
    await stage.run('rm large');
    const entry = await stage.newest();
    for (const force of [false, true]) {
      expect(await stage.history.undo(entry.id, { force })).toMatchObject({
        done: false,
        obstacles: [{ why: expect.stringContaining('too large'), forceable: false }],
      });
    }
    expect(await stage.newest()).toMatchObject({ id: entry.id, state: 'done' });
  });
});

test('what the tools change meanwhile is theirs', async () => {
  stage = await open('--sandbox', 'off');
  const at = (path: string) => join(stage.root, path);
  const running = stage.run(
    'echo begun > begun.txt; while [ ! -e end.txt ]; do sleep 0.02; done; rm begun.txt; echo more >> b.txt',
  );
  while (!existsSync(at('begun.txt'))) await new Promise((resolve) => setTimeout(resolve, 10));
  await stage.client.text('write_file', { path: at('a.txt'), content: 'by a tool\n' });
  await stage.client.text('write_file', { path: at('new/by-a-tool.txt'), content: 'by a tool\n' });
  await stage.client.text('delete_file', { path: at('d') });
  await stage.client.text('write_file', { path: at('end.txt'), content: '' });
  await running;
  const entry = (await stage.history.entries()).find(({ found }) => found)!;
  expect(kinds(entry)).toEqual({ 'b.txt': 'changed' });
  for (const { id } of await stage.history.entries()) {
    expect(await stage.history.undo(id)).toMatchObject({ done: true });
  }
  expect(readBack(stage.root)).toEqual(laidOut());
});

test('a working directory that the command removes itself is no trouble', async () => {
  stage = await open('--sandbox', 'off');
  const before = readBack(stage.root);
  await stage.run('cd ..; rm -rf d; echo gone', { workingDirectory: join(stage.root, 'd') });
  expect(existsSync(join(stage.root, 'd'))).toBe(false);
  expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({ done: true });
  expect(readBack(stage.root)).toEqual(before);
});

test('what a command changed is shown in the trace as changed by it', async () => {
  stage = await open('--sandbox', 'off');
  await stage.run('echo more >> a.txt; rm b.txt; echo new > c.txt');
  const shown = stage
    .traced()
    .at(-1)!
    .paths.map(({ path, how }) => `${how} ${path.slice(stage.root.length + 1)}`);
  expect(shown).toEqual(expect.arrayContaining(['changed a.txt', 'removed b.txt', 'created c.txt']));
});

test.skipIf(process.getuid?.() === 0)(
  'a file that may not be read is told as not kept (root reads all)',
  async () => {
    stage = await open('--sandbox', 'off');
    chmodSync(join(stage.root, 'b.txt'), 0o200);
    await stage.run('echo more >> b.txt');
    expect(await stage.history.undo((await stage.newest()).id)).toMatchObject({ done: false });
  },
);

function laidOut() {
  const directory = temporaryDirectory();
  layOut(directory.path, TREE);
  const tree = readBack(directory.path);
  directory.remove();
  return tree;
}
