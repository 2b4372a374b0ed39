/** What it takes to undo: an entry of thousands of files, and thousands of entries, against making the changes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { timed, timing } from './measure.mjs';
import { comparison } from './table.mjs';

const FILES = 5000;
const DIRECTORIES = 50;
const FEW_ENTRIES = 250;
const MANY_ENTRIES = 2000;
const BUDGET = { atMost: 2 };
const MADE = 'making the change';

/** Rows for the part `journal`. */
export async function undoRows(bench) {
  const { Engine } = await import(pathToFileURL(join(bench.dist, 'engine.mjs')).href);
  const open = (name) => {
    const root = bench.folder(`undo-${name}`);
    const commands = { sandbox: 'off', environment: process.env };
    const roots = [{ path: root, writable: true }];
    return { root, engine: new Engine({ roots, journal: bench.folder(`undo-state-${name}`), commands }) };
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
    row('undo of all entries, newest first', many, `${MANY_ENTRIES} entries of one file`),
    comparison({
      what: `undo, each of ${MANY_ENTRIES} entries`,
      ours: timing([many.undo / MANY_ENTRIES]),
      theirs: timing([few.undo / FEW_ENTRIES]),
      against: `each of ${FEW_ENTRIES}`,
      budget: BUDGET,
      note: 'the time of one undo does not grow with the history',
    }),
  ];
}

function row(what, { make, undo }, note) {
  const times = { ours: timing([undo]), theirs: timing([make]) };
  return comparison({ what, ...times, against: MADE, budget: BUDGET, note });
}

async function oneEntry({ root, engine }, change) {
  for (let i = 0; i < DIRECTORIES; i++) mkdirSync(join(root, `d${i}`));
  for (const { path, content } of files(root, 'old')) writeFileSync(path, content);
  try {
    const make = await timed(() => change(engine, root));
    const [{ id }] = engine.history.entries();
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
    const entries = engine.history.entries();
    const undo = await timed(async () => {
      for (const { id } of entries) await undone(engine, id);
    });
    return { make, undo };
  } finally {
    await engine.close();
  }
}

async function undone(engine, id) {
  const outcome = await engine.history.undo(id);
  if (!outcome?.done) throw new Error(`cannot be undone: ${JSON.stringify(outcome)}`);
}

function writeAll(engine, root) {
  return engine.files.writeAll(files(root, 'new'));
}

function rewrite(engine) {
  return engine.commands.shell('for f in d*/*; do echo new > $f; done');
}

function files(root, mark) {
  return Array.from({ length: FILES }, (_, i) => ({
    path: join(root, `d${i % DIRECTORIES}`, `f${i}.txt`),
    content: text(`${mark} ${i}`),
  }));
}

/** About 1 KB. */
function text(mark) {
  return `line ${mark}: something that somebody wrote\n`.repeat(25);
}
