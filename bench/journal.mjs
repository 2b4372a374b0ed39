/** What it costs that every change can be undone: the same writes and edits with the journal and without. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, timed } from './measure.mjs';
import { Server } from './server.mjs';
import { comparison } from './table.mjs';

const CALLS = 60;
const LINES = 100;
const BUDGET = { atMost: 1.5 };

export const journal = {
  name: 'journal',
  about: 'write_file and edit_file with the journal, against --no-journal',
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
        const times = await inTurn(turns, { rounds: bench.rounds });
        const note = `${CALLS} calls, one by one; both flush each change to the disk`;
        measured.push(comparison({ what, ...times, against: '--no-journal', budget: BUDGET, note }));
      }
      return measured;
    } finally {
      for (const { server } of Object.values(servers)) server.stop();
    }
  },
};

async function open(bench, name, flags) {
  const folder = bench.folder(`journal-${name}`);
  const state = bench.folder(`journal-state-${name}`);
  const server = await Server.open(bench.cofferdam(folder, { flags: ['--state', state, ...flags] }));
  return { server, folder };
}

let made = 0;

function newFiles({ server, folder }) {
  return () =>
    timed(async () => {
      for (let i = 0; i < CALLS; i++) {
        const path = join(folder, `new-${made++}.txt`);
        await succeed(server, 'write_file', { path, content: text(made) });
      }
    });
}

function sameFile({ server, folder }) {
  const path = join(folder, 'same.txt');
  return () =>
    timed(async () => {
      for (let i = 0; i < CALLS; i++) await succeed(server, 'write_file', { path, content: text(made++) });
    });
}

function edits({ server, folder }) {
  const path = join(folder, 'edited.txt');
  writeFileSync(path, `value = 0\n${text('other')}`);
  let value = 0;
  return () =>
    timed(async () => {
      for (let i = 0; i < CALLS; i++) {
        const edit = { oldText: `value = ${value}\n`, newText: `value = ${++value}\n` };
        await succeed(server, 'edit_file', { path, edits: [edit] });
      }
    });
}

/** About 4 KB. */
function text(mark) {
  return `line ${mark}: something that somebody wrote\n`.repeat(LINES);
}

async function succeed(server, tool, args) {
  const { result, error } = await server.call(tool, args);
  if (error || result?.isError) throw new Error(`${tool} failed: ${JSON.stringify(error ?? result)}`);
}
