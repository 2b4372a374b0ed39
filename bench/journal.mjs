/** What it costs that every change can be undone: the same writes and edits with and without the journal. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { timed, timing } from './measure.mjs';
import { Server } from './server.mjs';
import { comparison } from './table.mjs';
import { undoRows } from './undo.mjs';

const CALLS = 60;
const LINES = 100;
const BUDGET = { atMost: 1.5 };

export const journal = {
  name: 'journal',
  about: 'write_file and edit_file with the journal, against --no-journal; undo, against making the change',
  quick: true,
  async run(bench) {
    const servers = {
      ours: await open(bench, 'kept', []),
      theirs: await open(bench, 'unkept', ['--no-journal']),
    };
    const both = (turn) => ({ ours: turn(servers.ours), theirs: turn(servers.theirs) });
    try {
      const rows = [
        ['write_file, new files', both(newFiles)],
        ['write_file, the same file again', both(sameFile)],
        ['edit_file, the same file', both(edits)],
      ];
      const measured = [];
      for (const [what, turns] of rows) {
        const times = await callByCall(turns, bench.rounds);
        const note = `${CALLS} calls a round, one of each in turn; both flush each change to the disk`;
        measured.push(comparison({ what, ...times, against: '--no-journal', budget: BUDGET, note }));
      }
      return [...measured, ...(await undoRows(bench))];
    } finally {
      for (const { server } of Object.values(servers)) server.stop();
    }
  },
};

/** Takes turns call by call, because data that one contestant leaves to be flushed makes the next one wait. */
async function callByCall(turns, rounds) {
  const samples = { ours: [], theirs: [] };
  for (let round = 0; round <= rounds; round++) {
    const sums = { ours: 0, theirs: 0 };
    for (let call = 0; call < CALLS; call++) {
      const order = call % 2 === 0 ? ['ours', 'theirs'] : ['theirs', 'ours'];
      for (const name of order) sums[name] += await turns[name]();
    }
    if (round > 0) for (const name of ['ours', 'theirs']) samples[name].push(sums[name]);
  }
  return { ours: timing(samples.ours), theirs: timing(samples.theirs) };
}

async function open(bench, name, flags) {
  const folder = bench.folder(`journal-${name}`);
  const state = bench.folder(`journal-state-${name}`);
  const server = await Server.open(bench.cofferdam(folder, { flags: ['--state', state, ...flags] }));
  return { server, folder };
}

let made = 0;

function newFiles({ server, folder }) {
  return () => {
    const path = join(folder, `new-${made++}.txt`);
    return timed(() => succeed(server, 'write_file', { path, content: text(made) }));
  };
}

function sameFile({ server, folder }) {
  const path = join(folder, 'same.txt');
  return () => timed(() => succeed(server, 'write_file', { path, content: text(made++) }));
}

function edits({ server, folder }) {
  const path = join(folder, 'edited.txt');
  writeFileSync(path, `value = 0\n${text('other')}`);
  let value = 0;
  return () => {
    const edit = { oldText: `value = ${value}\n`, newText: `value = ${++value}\n` };
    return timed(() => succeed(server, 'edit_file', { path, edits: [edit] }));
  };
}

/** A text of about 4 KB. */
function text(mark) {
  return `line ${mark}: something that somebody wrote\n`.repeat(LINES);
}

async function succeed(server, tool, args) {
  const { result, error } = await server.call(tool, args);
  if (error || result?.isError) throw new Error(`${tool} failed: ${JSON.stringify(error ?? result)}`);
}
