/** Undo of entries with hundreds of files: as a whole, by a process that is killed halfway, with few descriptors. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Engine } from '../../../src/engine/index.ts';
import { program } from '../../client.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';
import { runInProcess } from '../../in-process.ts';
import { soak } from '../../soak.ts';
import { memoryDirectory, readBack } from '../../tree.ts';

const DIRECTORIES = 6;
const FILES = soak(15, 40);
const MAKE = `for d in $(seq ${DIRECTORIES}); do mkdir n$d; for f in $(seq ${FILES}); do echo $d $f > n$d/f$f; done; done`;

let home: { path: string; remove(): void };
let root: string;
let state: string;
let engine: Engine;

beforeEach(() => {
  home = memoryDirectory();
  [root, state] = [join(home.path, 'root'), join(home.path, 'state')];
  for (const directory of [root, state]) mkdirSync(directory);
  const commands = { sandbox: 'off', environment: process.env } as const;
  engine = new Engine({ roots: [{ path: root, writable: true }], journal: state, commands });
});
afterEach(async () => {
  await engine.close();
  home.remove();
});

async function newest(): Promise<string> {
  const [entry] = await engine.history.entries();
  return entry!.id;
}

/** Writes several files in each directory with one call. */
async function writeAll(text: string): Promise<void> {
  const files = Array.from({ length: DIRECTORIES * FILES }, (_, i) => ({
    path: join(root, `d${i % DIRECTORIES}/f${i}`),
    content: `${text} ${i}\n`,
  }));
  await engine.files.writeAll(files);
}

async function cli(...args: string[]) {
  const { status, stdout, stderr } = await runInProcess([...args, '--state', state]);
  return { status, said: stdout + stderr };
}

/** Kills an undo with SIGKILL as soon as `isUnderWay` returns true. */
async function killUndo(isUnderWay: () => boolean): Promise<'killed' | 'finished'> {
  const undo = spawn(process.execPath, [program, 'undo', '--state', state], { stdio: 'ignore' });
  const ended = once(undo, 'exit');
  // The start takes most of the time: check in a tight loop only after the undo has touched something.
  await Promise.race([ended, firstChange()]);
  while (undo.exitCode === null && undo.signalCode === null) {
    if (isUnderWay()) undo.kill('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await ended;
  return undo.signalCode === 'SIGKILL' ? 'killed' : 'finished';
}

/** Settles at the first change in any of the directories. */
function firstChange(): Promise<void> {
  return new Promise((resolve) => {
    const watchers = readdirSync(root).map((directory) => watch(join(root, directory), changed));
    function changed(): void {
      for (const watcher of watchers) watcher.close();
      resolve();
    }
  });
}

function filesLeft(): number {
  return readdirSync(root).reduce((sum, directory) => sum + namesIn(join(root, directory)).length, 0);
}

/** None if the undo has removed the directory meanwhile. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

test('undo and redo handle all that a command created as one, and leave no directory open', async () => {
  writeFileSync(join(root, 'mine'), 'mine\n');
  await engine.commands.runShellLine(MAKE);
  const made = readBack(root);
  const held = heldBelow(root);
  expect(await engine.history.undo(await newest())).toMatchObject({ done: true });
  expect(readBack(root)).toEqual({ mine: 'mine\n' });
  expect(await engine.history.undo(await newest())).toMatchObject({ done: true });
  expect(readBack(root)).toEqual(made);
  await expectNoMoreHeld(held, root);
});

test('one file that was changed since stops the undo of all files', async () => {
  await engine.commands.runShellLine(MAKE);
  writeFileSync(join(root, 'n3/f7'), 'changed since\n');
  const before = readBack(root);
  const outcome = await engine.history.undo(await newest());
  expect(outcome).toMatchObject({ done: false, obstacles: [{ path: join(root, 'n3/f7') }] });
  expect(readBack(root)).toEqual(before);
});

test.each([1, FILES, ...soak([], [DIRECTORIES * FILES - 5])])(
  'an undo of created files that is killed when %i of them are gone loses nothing, and can be repeated',
  async (gone) => {
    await engine.commands.runShellLine(MAKE);
    const made = readBack(root);
    const all = filesLeft();
    await killUndo(() => filesLeft() <= all - gone);
    expect((await cli('undo')).said).not.toContain('cannot');
    expect(readBack(root)).toEqual({});
    expect(await cli('redo')).toMatchObject({ status: 0 });
    expect(readBack(root)).toEqual(made);
  },
);

test.each([1, soak(55, 150)])(
  'an undo of changed files that is killed when %i of them are restored leaves each file whole',
  async (back) => {
    await writeAll('old');
    const old = readBack(root);
    await writeAll('new');
    const written = readBack(root);
    // Count only these files: while the undo runs, its drafts are next to them.
    const now = () => Object.keys(old).map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);
    const id = await newest();
    await killUndo(() => now().filter(([, text]) => text.startsWith('old')).length >= back);
    for (const [path, text] of now()) expect([old[path], written[path]]).toContain(text);
    // Name the entry: if the kill came too late, the undo is done, and another one would undo an older entry.
    await cli('undo', id);
    expect(readBack(root)).toEqual(old);
    expect(await cli('redo')).toMatchObject({ status: 0 });
    expect(readBack(root)).toEqual(written);
  },
);
