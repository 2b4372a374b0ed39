/** `history`, `diff`, `undo` and `redo` as a user types them. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anonymous, Engine, type JournalEntry } from '../../../src/engine/index.ts';
import { Journal } from '../../../src/engine/journal/journal.ts';
import { openDirectoryState } from '../../../src/state/directory/open.ts';
import { program } from '../../client.ts';
import { runInProcess } from '../../in-process.ts';
import { layOut, memoryDirectory, readBack } from '../../tree.ts';

let home: { path: string; remove(): void };
let root: string;
let state: string;
beforeEach(() => {
  home = memoryDirectory();
  root = join(home.path, 'root');
  state = join(home.path, 'state');
  layOut(home.path, {
    'root/a.txt': 'one\n',
    'root/b.txt': 'b\n',
    'root/d/x.txt': 'x\n',
    'other/o.txt': 'o\n',
  });
});
afterEach(() => home.remove());

const run = (...args: string[]) => runInProcess([...args, '--state', state], { cwd: home.path });

/** Changes something as the tool of that name would, and returns the id of the entry. */
async function change(
  tool: string,
  make: (engine: Engine) => Promise<unknown>,
  directory = root,
): Promise<string> {
  const engine = new Engine({ roots: [{ path: directory, writable: true }], journal: state });
  const made: string[] = [];
  await make(engine.as({ ...anonymous, origin: { tool }, entered: (id) => made.push(id) }));
  await engine.close();
  return made[0]!;
}

const at = (path: string) => join(root, path);
const write = (path: string, content: string) =>
  change('write_file', (engine) => engine.files.write(path, content));
const remove = (path: string) =>
  change('delete_file', (engine) => engine.files.remove(path, { recursive: true }));
const entries = async (...args: string[]): Promise<JournalEntry[]> =>
  JSON.parse((await run('history', '--json', ...args)).stdout);
const fine = async (...args: string[]) => {
  const outcome = await run(...args);
  expect([outcome.status, outcome.stderr]).toEqual([0, '']);
  return outcome.stdout;
};
const oneLine = (words: string) =>
  expect.stringMatching(new RegExp(`^cofferdam: [^\\n]*${words}[^\\n]*\\n$`));

describe('without any recorded change', () => {
  test('there is no history, nothing to undo, and nothing to redo', async () => {
    expect(await fine('history')).toBe('No changes are recorded.\n');
    expect(await fine('history', '--json')).toBe('[]\n');
    expect(await run('undo')).toEqual({ status: 1, stdout: '', stderr: 'There is nothing to undo.\n' });
    expect(await run('redo')).toEqual({ status: 1, stdout: '', stderr: 'There is nothing to redo.\n' });
    expect(await run('undo', '--since', '1h')).toEqual(await run('undo'));
    // A directory in which nothing was changed, also by its bare name.
    for (const name of ['./root', 'root']) {
      expect(await run('undo', name)).toEqual(await run('undo'));
      expect(await run('undo', name, '--since', '1h')).toEqual(await run('undo'));
    }
    expect(await run('diff', 'abcd')).toMatchObject({ status: 2, stderr: oneLine('there is no entry abcd') });
    expect(existsSync(join(home.path, 'root/.local'))).toBe(false);
  });

  test.each([
    [['diff'], 'diff needs an entry'],
    [['undo', 'x', 'y'], 'no further argument: y'],
    [['undo', 'abcdefgh'], 'there is no entry abcdefgh'],
    [['redo', 'abcdefgh'], 'there is no entry abcdefgh'],
    [['undo', 'a'], 'there is no entry a'],
    [['undo', 'nosuch', '--since', '1h'], 'nosuch: no such directory'],
    [['undo', './nosuch'], './nosuch: no such directory'],
    [['undo', '--since', 'whenever'], '--since whenever: give a time'],
    [['history', '--limit', '0'], '--limit 0'],
  ])('%j is refused in one line', async (args, words) => {
    expect(await run(...args)).toMatchObject({ status: 2, stdout: '', stderr: oneLine(words) });
  });
});

describe('history', () => {
  test('lists what was changed, newest first, with tool, state and paths', async () => {
    const first = await write('a.txt', 'two\n');
    const second = await change('move_file', (engine) => engine.files.move('b.txt', 'c/b.txt'));
    const lines = (await fine('history')).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      new RegExp(
        `^${second}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  move_file   done     moved ${at('b.txt')} → ${at('c/b.txt')}$`,
      ),
    );
    expect(lines[1]).toMatch(new RegExp(`^${first}  .*  write_file  done     changed ${at('a.txt')}$`));
    expect(await entries()).toMatchObject([{ id: second }, { id: first, origin: { tool: 'write_file' } }]);
    expect(await entries('--limit', '1')).toHaveLength(1);
    expect(await entries('--since', '2099-01-01')).toEqual([]);
  });

  test('names the entry that was redone, even if it is not listed', async () => {
    const id = await write('a.txt', 'two\n');
    await fine('undo');
    await fine('redo');
    expect((await fine('history')).split('\n')[0]).toContain(`redo ${id}`);
    expect(await fine('history', '--limit', '1')).toContain(`redo ${id}`);
    expect(await fine('history', '--limit', '1', '--since', '1h30m')).toContain(`redo ${id}`);
  });

  test('calls an undo after a redo an undo, and so does the trace', async () => {
    const id = await write('a.txt', 'two\n');
    for (const command of ['undo', 'redo', 'undo', 'redo', 'undo']) await fine(command);
    const listed = (await fine('history')).match(/(?:undo|redo) \w+/g);
    expect(listed).toEqual(['undo', 'redo', 'undo', 'redo', 'undo'].map((verb) => `${verb} ${id}`));
    const traced = (await fine('trace', '--json')).trim().split('\n');
    expect(traced.map((line) => JSON.parse(line).tool)).toEqual(['undo', 'redo', 'undo', 'redo', 'undo']);
  });

  test('lists only one directory on request, even through a link to it', async () => {
    const one = await write('d/x.txt', 'xx\n');
    const two = await change(
      'write_file',
      (engine) => engine.files.write('o.txt', 'oo\n'),
      join(home.path, 'other'),
    );
    expect((await entries()).map(({ id }) => id)).toEqual([two, one]);
    expect((await entries('other')).map(({ id }) => id)).toEqual([two]);
    expect((await entries(join(root, 'd'))).map(({ id }) => id)).toEqual([one]);
    symlinkSync(root, join(home.path, 'link'));
    expect((await entries('link')).map(({ id }) => id)).toEqual([one]);
    for (const command of [['history'], ['history', '--json'], ['undo'], ['undo', '--since', '1h']])
      expect(await run(...command, './nowhere')).toEqual({
        status: 2,
        stdout: '',
        stderr: oneLine('./nowhere: no such directory'),
      });
    // An undo in one directory leaves the other alone. A bare name is enough.
    await fine('undo', './link');
    await fine('redo');
    await fine('undo', 'link');
    expect(readFileSync(at('d/x.txt'), 'utf8')).toBe('x\n');
    expect(readFileSync(join(home.path, 'other/o.txt'), 'utf8')).toBe('oo\n');
  });
});

describe('diff', () => {
  test('shows what one entry changed, given any beginning of its id', async () => {
    const id = await write('a.txt', 'two\n');
    for (const named of [id, id.slice(0, 4)]) {
      expect(await fine('diff', named)).toContain('@@ -1 +1 @@\n-one\n+two\n');
    }
  });

  test('says when something was deleted, moved or is binary', async () => {
    writeFileSync(at('e.txt'), 'eee\n');
    expect(await fine('diff', await remove('a.txt'))).toContain('-one\n');
    expect(await fine('diff', await remove('d'))).toBe(`removed ${at('d')} (a directory, kept whole)\n`);
    expect(
      await fine('diff', await change('move_file', (engine) => engine.files.move('b.txt', 'c.txt'))),
    ).toBe(`${at('b.txt')} → ${at('c.txt')}\n`);
    expect(
      await fine(
        'diff',
        await change('move_file', (engine) => engine.files.move('c.txt', 'e.txt', { overwrite: true })),
      ),
    ).toBe(
      `${at('c.txt')} → ${at('e.txt')} (in place of another file)\n--- ${at('e.txt')}\n+++ ${at('e.txt')}\n@@ -1 +0,0 @@\n-eee\n`,
    );
    writeFileSync(at('bin'), Buffer.from([0, 255, 1]));
    expect(await fine('diff', await write('bin', 'text'))).toContain('binary content');
  });
});

describe('undo and redo', () => {
  test('take back the last change and make it again, any number of times', async () => {
    const before = readBack(root);
    await remove('d');
    const after = readBack(root);
    for (let round = 0; round < 2; round++) {
      expect(await fine('undo')).toMatch(/^undone: [^\n]* undone [^\n]*\n {2}restore {5}[^\n]*\/d\n$/);
      expect(readBack(root)).toEqual(before);
      expect(await fine('redo')).toMatch(/^redone: /);
      expect(readBack(root)).toEqual(after);
    }
    await fine('undo');
    expect(await run('undo')).toMatchObject({ status: 1, stderr: 'There is nothing to undo.\n' });
    await fine('redo');
    expect(await run('redo')).toMatchObject({ status: 1, stderr: 'There is nothing to redo.\n' });
  });

  test('go back entry by entry, and forward again', async () => {
    const trees = [readBack(root)];
    for (const content of ['two\n', 'three\n', 'four\n']) {
      await write('a.txt', content);
      trees.push(readBack(root));
    }
    for (const tree of trees.slice(0, -1).reverse()) {
      await fine('undo');
      expect(readBack(root)).toEqual(tree);
    }
    for (const tree of trees.slice(1)) {
      await fine('redo');
      expect(readBack(root)).toEqual(tree);
    }
  });

  test('start a redo with the entry that was undone last, even if it was also undone before', async () => {
    const [a, b] = [await write('a.txt', 'two\n'), await write('b.txt', 'bb\n')];
    await fine('undo', b);
    await fine('redo');
    await fine('undo', a);
    await fine('undo', b);
    await fine('redo');
    expect(readBack(root)).toMatchObject({ 'a.txt': 'one\n', 'b.txt': 'bb\n' });
    await fine('redo');
    expect(readBack(root)).toMatchObject({ 'a.txt': 'two\n', 'b.txt': 'bb\n' });
  });

  test('take the id of an entry, and refuse it the second time', async () => {
    const id = await write('a.txt', 'two\n');
    await write('b.txt', 'bb\n');
    await fine('undo', id.slice(0, 5));
    expect(readBack(root)).toMatchObject({ 'a.txt': 'one\n', 'b.txt': 'bb\n' });
    expect(await run('undo', id)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${id} is undone already`),
    });
    await fine('redo', id);
    expect(readBack(root)).toMatchObject({ 'a.txt': 'two\n' });
    expect(await run('redo', id)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${id} is not undone`),
    });
  });

  test('treat a call that changes several files as one entry', async () => {
    const before = readBack(root);
    const paths = [at('a.txt'), at('b.txt'), at('d/x.txt')];
    const edits = [{ oldText: '\n', newText: '!\n' }];
    await fine('call', 'edit_files', JSON.stringify({ paths, edits }), '--dialect', 'replay', root);
    expect(readBack(root)).toMatchObject({ 'a.txt': 'one!\n', 'b.txt': 'b!\n', 'd/x.txt': 'x!\n' });
    expect(await entries()).toHaveLength(1);
    await fine('undo');
    expect(readBack(root)).toEqual(before);
  });

  test('take back everything since a time, newest first', async () => {
    const before = readBack(root);
    await write('a.txt', 'two\n');
    await write('new/file.txt', 'new\n');
    await remove('d');
    await write('a.txt', 'three\n');
    expect((await fine('undo', '--since', '10m')).match(/^undone: /gm)).toHaveLength(4);
    expect(readBack(root)).toEqual(before);
    expect(await run('undo', '--since', '10m')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'There is nothing to undo.\n',
    });
    expect(await run('undo', (await entries())[0]!.id, '--since', '1h')).toMatchObject({ status: 2 });
  });
});

describe('an obstacle to an undo', () => {
  test('is shown as a diff, and --force keeps both versions', async () => {
    const id = await write('a.txt', 'two\n');
    appendFileSync(at('a.txt'), 'theirs\n');
    const refused = await run('undo');
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain(`${id} cannot be undone as it is`);
    expect(refused.stderr).toContain('+theirs');
    expect(refused.stderr).toContain('--force');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('two\ntheirs\n');
    await fine('undo', '--force');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
    await fine('redo');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('two\ntheirs\n');
  });

  test('is also shown as a diff when a deleted or moved path exists again', async () => {
    await remove('a.txt');
    writeFileSync(at('a.txt'), 'one\ntheirs\n');
    const deleted = await run('undo');
    expect(deleted).toMatchObject({ status: 1, stdout: '' });
    expect(deleted.stderr).toContain('a file is there again\n');
    expect(deleted.stderr).toContain('\n one\n+theirs\n');
    await change('move_file', (engine) => engine.files.move('b.txt', 'c.txt'));
    writeFileSync(at('b.txt'), 'b\ntheirs too\n');
    const moved = await run('undo');
    expect(moved.stderr).toContain('a file is there again\n');
    expect(moved.stderr).toContain('\n b\n+theirs too\n');
  });

  test('can be lost or damaged content: then nothing is changed, even with --force', async () => {
    const id = await write('a.txt', 'two\n');
    const second = await remove('b.txt');
    for (const name of readdirSync(join(state, 'store')))
      writeFileSync(join(state, 'store', name), 'damaged');
    for (const force of [[], ['--force']]) {
      expect((await run('undo', id, ...force)).stderr).toBe(
        `${id} cannot be undone as it is:\n  ${at('a.txt')}: what the journal has kept of it is damaged\nNothing was touched. To undo another entry, name it: cofferdam history lists them.\n`,
      );
    }
    rmSync(join(state, 'aside'), { recursive: true });
    writeFileSync(at('b.txt'), 'theirs\n');
    expect(await run('undo', second)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('a file is there again, and what was removed is no longer kept\n'),
    });
    expect(readBack(root)).toMatchObject({ 'a.txt': 'two\n', 'b.txt': 'theirs\n' });
    expect((await entries()).map((entry) => entry.state)).toEqual(['done', 'done']);
  });

  test('can be a moved directory: history and diff still work', async () => {
    const id = await write('a.txt', 'two\n');
    renameSync(root, join(home.path, 'elsewhere'));
    expect(await entries()).toHaveLength(1);
    expect(await fine('diff', id)).toContain('+two');
    expect(await run('undo')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no longer there'),
    });
    symlinkSync('/etc', root);
    expect(await run('undo')).toMatchObject({ status: 1, stderr: expect.stringContaining('link to /etc') });
    rmSync(root);
    renameSync(join(home.path, 'elsewhere'), root);
    await fine('undo');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
  });

  test('is skipped by --since --force, which undoes everything else', async () => {
    await write('a.txt', 'two\n');
    mkdirSync(at('node_modules'));
    await change('execute_command', ({ commands }) => commands.runShellLine('rm -r node_modules'));
    await write('b.txt', 'bb\n');
    const outcome = await run('undo', '--since', '1h', '--force');
    expect(outcome.status).toBe(1);
    expect(outcome.stdout).toMatch(/restore [^\n]*b.txt\n[\s\S]*restore [^\n]*a.txt\n$/);
    expect(outcome.stderr).toMatch(/node_modules is not kept[\s\S]*cofferdam history lists them/);
    expect(readBack(root)).toMatchObject({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  });

  test('stops --since, which says what it has done so far', async () => {
    await write('a.txt', 'two\n');
    await write('b.txt', 'bb\n');
    appendFileSync(at('a.txt'), 'theirs\n');
    const outcome = await run('undo', '--since', '1h');
    expect(outcome.status).toBe(1);
    expect(outcome.stdout).toMatch(/^undone: [^\n]*\n {2}restore [^\n]*b.txt\n$/);
    expect(outcome.stderr).toMatch(/^\w+ cannot be undone as it is:\n/);
    expect(outcome.stderr).toContain('\nThis entry was left alone; what is above is undone. --force');
    expect(readBack(root)).toMatchObject({ 'a.txt': 'two\ntheirs\n', 'b.txt': 'b\n' });
  });
});

test('an id that begins like another one needs more letters', async () => {
  const journal = new Journal(openDirectoryState(state));
  for (const e of ['abcd222222', 'abcd333333']) {
    journal.log.append({ e, at: Date.now(), by: {}, roots: [root], did: [] });
    journal.log.append({ e, end: 'done' });
  }
  journal.log.close();
  expect(await run('diff', 'abcd')).toMatchObject({
    status: 2,
    stderr: oneLine('abcd could be abcd333333 or abcd222222'),
  });
  expect(await run('diff', 'abcd2')).toMatchObject({ status: 0 });
});

test('names and contents send no control sequences to the terminal', async () => {
  const name = 'evil\u001b[31m\u0007\u202etxt\nsecond';
  const id = await write(name, 'text \u001b]0;title\u0007\u009b31m \u202e\nand\tmore\r\n');
  appendFileSync(at(name), 'more \u001b[2J\n');
  const shown = [
    await run('history'),
    await run('history', '--json'),
    await run('diff', id),
    await run('undo'),
    await run('undo', '--force'),
  ];
  for (const { stdout, stderr } of shown) {
    expect(stdout + stderr).toMatch(/^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]*$/);
    expect(stdout + stderr).toContain('evil');
  }
  expect(JSON.parse(shown[1]!.stdout)[0].changes.at(-1).path).toBe(at(name));
});

describe('a state directory that cannot be used', () => {
  const commands = [['history'], ['diff', 'abcd'], ['undo'], ['redo'], ['trace']];

  test.each(commands)('is reported in one line by %s %s when it is not a directory', async (...args) => {
    writeFileSync(state, '');
    expect(await run(...args)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: oneLine('cannot be used: .*not a directory'),
    });
  });

  const asNobody = (...args: string[]) =>
    spawnSync('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, program, ...args], {
      cwd: '/',
      encoding: 'utf8',
    });

  test.skipIf(asNobody('--version').status !== 0)(
    'is enough for history and diff if it can at least be read (needs root)',
    async () => {
      const id = await write('a.txt', 'two\n');
      rmSync(join(state, 'aside'), { recursive: true, force: true });
      chmodSync(home.path, 0o755);
      spawnSync('chmod', ['-R', 'go=rX', state]);
      const readable = (...args: string[]) => asNobody(...args, '--state', state);
      expect(readable('history')).toMatchObject({ status: 0, stdout: expect.stringContaining(id) });
      expect(readable('diff', id)).toMatchObject({ status: 0, stdout: expect.stringContaining('+two') });
      expect(readable('undo')).toMatchObject({
        status: 2,
        stderr: oneLine('the state directory .* cannot be used'),
      });
      spawnSync('chmod', ['-R', 'go=', state]);
      for (const args of [['history'], ['diff', id], ['undo'], ['redo']]) {
        expect(readable(...args)).toMatchObject({
          status: 2,
          stderr: oneLine('cannot be used: .*permission denied'),
        });
      }
    },
  );
});

test('the journal skips entries of its directory that are not files', async () => {
  await write('a.txt', 'two\n');
  mkdirSync(join(state, 'journal/2020-01-01.jsonl'));
  symlinkSync('nowhere', join(state, 'journal/2020-01-02.jsonl'));
  expect(await fine('history')).toContain('write_file');
  await fine('undo');
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
});

describe('a call', () => {
  const inside = () => ({ ...process.env, XDG_STATE_HOME: root });
  const call = (env: NodeJS.ProcessEnv, tool: string, args: object, directory = root, ...more: string[]) =>
    runInProcess(['call', tool, JSON.stringify(args), directory, ...more], { env });

  test('logs that its changes are not kept, but only if they are not', async () => {
    const change = { path: at('a.txt'), content: 'two\n' };
    expect(await call(inside(), 'write_file', change)).toMatchObject({
      status: 0,
      stderr: oneLine('changes: OFF: .* is inside'),
    });
    expect(await call(inside(), 'read_file', { path: at('a.txt') })).toMatchObject({ status: 0, stderr: '' });
    expect(await call(inside(), 'write_file', change, `${root}:ro`)).toMatchObject({
      status: 1,
      stderr: expect.not.stringContaining('OFF'),
    });
    expect(await call(inside(), 'write_file', change, root, '--no-journal')).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

test('a journal with garbage in it is still read', async () => {
  await write('a.txt', 'two\n');
  const [file] = spawnSync('ls', [join(state, 'journal')], { encoding: 'utf8' }).stdout.split('\n');
  appendFileSync(join(state, 'journal', file!), '\nnot a line of ours\n0123456789ab {"e":');
  await fine('undo');
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
  rmSync(join(state, 'store'), { recursive: true });
  expect(await fine('history')).toContain('write_file');
});

describe('--dry-run', () => {
  test('says what an undo would do, and does nothing', async () => {
    const id = await change('write_file', (engine) => engine.files.write(at('a.txt'), 'two\n'));
    const { status, stdout } = await run('undo', id, '--dry-run');
    expect([status, stdout]).toEqual([0, expect.stringContaining(`would be undone: ${id}`)]);
    expect(stdout).toContain(at('a.txt'));
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('two\n');
    expect((await run('history')).stdout).not.toContain('undone');
    await run('undo', id);
    expect((await run('redo', '--dry-run')).stdout).toContain(`would be redone: ${id}`);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
  });

  test('considers several changes of one file in their order', async () => {
    for (const text of ['two\n', 'three\n']) {
      await change('write_file', (engine) => engine.files.write(at('a.txt'), text));
    }
    const { status, stdout } = await run('undo', '--since', '1h', '--dry-run');
    expect([status, stdout.match(/^would be undone: /gm)]).toEqual([
      0,
      expect.objectContaining({ length: 2 }),
    ]);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('three\n');
  });

  test('shows obstacles', async () => {
    const id = await change('write_file', (engine) => engine.files.write(at('a.txt'), 'two\n'));
    writeFileSync(at('a.txt'), 'somebody else\n');
    const { status, stderr } = await run('undo', id, '--dry-run');
    expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be undone as it is')]);
    expect((await run('undo', id, '--dry-run', '--force')).status).toBe(0);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('somebody else\n');
  });
});

describe('colours', () => {
  const runWith = (environment: Record<string, string>, ...args: string[]) =>
    spawnSync(process.execPath, [program, ...args, '--state', state], {
      cwd: home.path,
      encoding: 'utf8',
      env: { ...process.env, ...environment },
    }).stdout;

  test('appear on request, and never in a pipe or with NO_COLOR', async () => {
    const id = await change('write_file', (engine) => engine.files.write(at('a.txt'), 'two\n'));
    const plain = runWith({}, 'diff', id);
    const painted = runWith({ FORCE_COLOR: '1' }, 'diff', id);
    expect(painted).toContain('\x1b[31m-one\x1b[0m\n\x1b[32m+two\x1b[0m\n');
    expect(painted.replace(/\x1b\[\d+m/g, '')).toBe(plain);
    expect(runWith({ FORCE_COLOR: '1' }, 'history')).toContain(`\x1b[33m${id}\x1b[0m`);
    expect(plain).not.toContain('\x1b');
    expect(runWith({ FORCE_COLOR: '1', NO_COLOR: '1' }, 'history')).not.toContain('\x1b');
  });
});
