/** Reads lines far inside a file of 1 GB, against sed and tail, and measures the memory that it takes. */
import { closeSync, openSync, rmSync, statfsSync, utimesSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { run } from './children.mjs';
import { inTurn, timed } from './measure.mjs';
import { Server } from './server.mjs';
import { absent, comparison, figure } from './table.mjs';

const LINE_BYTES = 40;
const LINES = Math.ceil(2 ** 30 / LINE_BYTES);
const LINES_A_PIECE = 100_000;
const FROM = 25_000_000;
const TO = FROM + 100;
const TAIL = 100;
/** The engine trusts a file's timestamps only when they are older than this. */
const SETTLED_MS = 200;
const MEGABYTE = 2 ** 20;

export const lines = {
  name: 'lines',
  about: 'lines 25,000,000-25,000,100 and the last 100 of a 1 GB file, against sed and tail',
  quick: false,
  async run(bench) {
    const file = join(bench.folder('lines'), 'large.log');
    const { bavail, bsize } = statfsSync(dirname(file));
    if (bavail * bsize < 2 * LINES * LINE_BYTES)
      return [absent('a 1 GB file', 'there is no room for it here')];
    try {
      bench.say('writing 1 GB');
      writeLines(file);
      const rows = await throughTheServer(bench, file);
      return [...rows, ...(await throughTheEngine(bench, file))];
    } finally {
      rmSync(file, { force: true });
    }
  },
};

async function throughTheServer(bench, file) {
  const server = await Server.open(bench.cofferdam(dirname(file), { dialect: 'fileeditor' }));
  try {
    await server.call('set_workspace', { path: dirname(file) });
    const idle = server.memory();
    const look = (from, to) => server.call('read_files', { path: file, line_range: `${from}-${to}` });
    const sed = [`${FROM},${TO}p;${TO}q`, file];
    const notes = {
      range: same(await look(FROM, TO), (await run('sed', ['-n', ...sed], { keep: true })).output),
      tail: same(
        await look(LINES - TAIL + 1, LINES),
        (await run('tail', [`-n${TAIL}`, file], { keep: true })).output,
      ),
    };
    const times = await inTurn(
      {
        first: async () => {
          touch(file);
          await wait(SETTLED_MS);
          return timed(() => look(FROM, TO));
        },
        second: () => timed(() => look(FROM, TO)),
        sed: async () => (await run('sed', ['-n', ...sed])).ms,
        last: () => timed(() => look(LINES - TAIL + 1, LINES)),
        tail: async () => (await run('tail', [`-n${TAIL}`, file])).ms,
      },
      { rounds: bench.rounds },
    );
    const { first, second, last, sed: bareSed, tail: bareTail } = times;
    const budget = { atMost: 0.5 };
    const range = { theirs: bareSed, against: `sed -n '${sed[0]}'`, budget, note: notes.range };
    return [
      comparison({ what: 'lines of 1 GB, first look', ours: first, ...range }),
      comparison({ what: 'lines of 1 GB, second look', ours: second, ...range }),
      comparison({
        what: 'last 100 lines of 1 GB, by number',
        ours: last,
        theirs: bareTail,
        against: `tail -n${TAIL}`,
        budget,
        note: `${notes.tail}; its lines are counted already`,
      }),
      ...memoryRow(idle, server.memory()),
    ];
  } finally {
    server.stop();
  }
}

function memoryRow(before, after) {
  const what = 'memory for lines of 1 GB, above idle';
  if (!before || !after) return [absent(what, 'this system does not tell')];
  const ours = (after.highest - before.now) / MEGABYTE;
  return [
    figure({ what, ours, unit: 'MB', budget: { atMost: 64, of: 'ours' }, note: 'highest resident size' }),
  ];
}

/** Reads the last lines of a file that was not read before, through the library. */
async function throughTheEngine(bench, file) {
  const { Engine } = await import(pathToFileURL(join(bench.dist, 'engine.mjs')).href);
  const what = 'last 100 lines of 1 GB, first look';
  const engine = new Engine({ roots: [{ path: dirname(file), writable: false }] });
  try {
    if (typeof engine.files.readTail !== 'function')
      return [absent(what, 'the engine does not offer it', 'tail')];
    const { ours, theirs } = await inTurn(
      {
        ours: async () => {
          touch(file);
          return timed(() => engine.files.readTail(file, TAIL));
        },
        theirs: async () => (await run('tail', [`-n${TAIL}`, file])).ms,
      },
      { rounds: bench.rounds },
    );
    return [comparison({ what, ours, theirs, against: `tail -n${TAIL}`, budget: { atMost: 0.5 } })];
  } finally {
    await engine.close();
  }
}

/** Compares our answer, which is numbered as `12 | text`, with that of sed or tail, which is not. */
function same(numbered, plain) {
  const texts = numbered.split('\n').map((line) => line.slice(line.indexOf(' | ') + 3));
  const expected = plain.trimEnd().split('\n');
  if (texts.join('\n') === expected.join('\n')) return `${texts.length} lines, the same`;
  return `NOT THE SAME: ${texts.length} lines against ${expected.length}`;
}

function touch(file) {
  const now = new Date();
  utimesSync(file, now, now);
}

function writeLines(file) {
  const out = openSync(file, 'w');
  try {
    for (let first = 1; first <= LINES; first += LINES_A_PIECE) {
      let piece = '';
      for (let line = first; line < first + LINES_A_PIECE && line <= LINES; line++) {
        piece += `${String(line).padStart(10, '0')} all is well in the engine room\n`.slice(-LINE_BYTES);
      }
      writeSync(out, piece);
    }
  } finally {
    closeSync(out);
  }
}
