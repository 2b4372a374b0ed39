/** What it takes to undo an entry of thousands of files, and thousands of entries, compared with making the changes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { timed, timing } from './measure.mjs';
import { comparison } from './table.mjs';

const FILES = 5000;
const DIRECTORIES = 50;
const FEW_ENTRIES = 250;
const MANY_ENTRIES = 2000;
const FEW_SINCE = 2000;
const MANY_SINCE = 20_000;
const BUDGET = { atMost: 2 };
const MADE = 'making the change';

/** Rows for the part `journal`. */
export async function undoRows(bench) {
  const { Engine, History } = await import(pathToFileURL(join(bench.dist, 'engine.mjs')).href);
  const open = (name) => {
    const root = bench.folder(`undo-${name}`);
    const commands = { sandbox: 'off', environment: process.env };
    const roots = [{ path: root, writable: true }];
    const state = bench.folder(`undo-state-${name}`);
    return { root, state, engine: new Engine({ roots, journal: state, commands }) };
  };
  const many = await manyEntries(open('many'), MANY_ENTRIES);
  const few = await manyEntries(open('few'), FEW_ENTRIES);
  return [
    row(
      'undo of one entry, files written by one call',
      await oneEntry(open('call'), writeAll),
      `${FILES} files`,
    ),
    row(
      'undo of one entry, files changed by a command',
      await oneEntry(open('command'), rewrite),
      `${FILES} files`,
    ),
    row(
      'undo of one entry, files created by a command',
      await oneEntry(open('created'), create),
      `${FILES} files`,
    ),
    row('undo of all entries, newest first', many, `${MANY_ENTRIES} entries of one file`),
    comparison({
      what: `undo, each of ${MANY_ENTRIES} entries`,
      ours: timing([many.undo / MANY_ENTRIES]),
      theirs: timing([few.undo / FEW_ENTRIES]),
      against: `each of ${FEW_ENTRIES}`,
      budget: BUDGET,
      note: 'the time of one undo does not grow with the history',
    }),
    comparison({
      what: `undo --since, each of ${MANY_SINCE} entries`,
      ours: timing([(await since(History, open('since-many'), MANY_SINCE)) / MANY_SINCE]),
      theirs: timing([(await since(History, open('since-few'), FEW_SINCE)) / FEW_SINCE]),
      against: `each of ${FEW_SINCE}`,
      budget: { atMost: 1.5 },
      note: 'the time is linear in what is undone',
    }),
  ];
}

function row(what, { make, undo }, note) {
  const times = { ours: timing([undo]), theirs: timing([make]) };
  return comparison({ what, ...times, against: MADE, budget: BUDGET, note });
}

async function oneEntry({ root, engine }, change) {
  for (let i = 0; i < DIRECTORIES; i++) mkdirSync(join(root, `d${i}`));
  // On the disk, as files usually are: a file system takes longer to replace those than files that are only in memory.
  for (const { path, content } of files(root, 'old')) writeFileSync(path, content, { flush: true });
  try {
    const make = await timed(() => change(engine, root));
    const [{ id }] = await engine.history.entries();
    return { make, undo: await timed(() => undone(engine, id)) };
  } finally {
    await engine.close();
  }
}

async function manyEntries({ root, engine }, count) {
  mkdirSync(join(root, 'd0'));
  try {
    const make = await timed(async () => {
      for (let i = 0; i < count; i++) await engine.files.write(join(root, 'd0', `f${i % 10}.txt`), text(i));
    });
    const entries = await engine.history.entries();
    const undo = await timed(async () => {
      for (const { id } of entries) await undone(engine, id);
    });
    return { make, undo };
  } finally {
    await engine.close();
  }
}

/** Undoes as the command line does: without a server, one entry after another. */
async function since(History, { root, state, engine }, count) {
  mkdirSync(join(root, 'd0'));
  for (let i = 0; i < count; i++) await engine.files.write(join(root, 'd0', `f${i % 10}.txt`), text(i));
  await engine.close();
  const history = new History(state);
  return timed(() =>
    history.keepOpen(async () => {
      for (const { id } of await history.entries({ since: 0 })) await undone({ history }, id);
    }),
  );
}

async function undone(engine, id) {
  const outcome = await engine.history.undo(id);
  if (!outcome?.done) throw new Error(`cannot be undone: ${JSON.stringify(outcome)}`);
}

function writeAll(engine, root) {
  return engine.files.writeAll(files(root, 'new'));
}

function rewrite(engine) {
  return engine.commands.runShellLine('for f in d*/*; do echo new > $f; done');
}

function create(engine) {
  const each = `for f in $(seq ${FILES / DIRECTORIES}); do echo new $f > new$d/f$f; done`;
  return engine.commands.runShellLine(`for d in $(seq ${DIRECTORIES}); do mkdir new$d; ${each}; done`);
}

function files(root, mark) {
  return Array.from({ length: FILES }, (_, i) => ({
    path: join(root, `d${i % DIRECTORIES}`, `f${i}.txt`),
    content: text(`${mark} ${i}`),
  }));
}

/** A text of about 1 KB. */
function text(mark) {
  return `line ${mark}: something that somebody wrote\n`.repeat(25);
}
