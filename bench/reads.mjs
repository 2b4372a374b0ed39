/** Many small reads, sent without waiting for each answer, and single reads. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, timed } from './measure.mjs';
import { Server } from './server.mjs';
import { LIBRARY_LANE } from './start.mjs';
import { absent, comparison } from './table.mjs';

const FILES = 64;
const BYTES = 4096;
const IN_FLIGHT = 64;

export const reads = {
  name: 'reads',
  about: '4 KB reads on stdio, pipelined and one by one, against the official server',
  quick: true,
  async run(bench) {
    const folder = bench.folder('reads');
    const files = smallFiles(folder);
    const official = await bench.peer('official');
    const what = `4 KB reads, ${IN_FLIGHT} in flight`;
    if (!official.launch) return [absent(what, official.why, official.name)];
    const servers = {
      ours: await Server.open(bench.cofferdam(folder)),
      standard: await Server.open(bench.cofferdam(folder, { dialect: 'standard' })),
      library: await Server.open(bench.cofferdam(folder, { dialect: 'standard' }), { first: 'ping' }),
      theirs: await Server.open(official.launch({ folder, home: folder })),
    };
    const tools = {
      ours: 'read_file',
      standard: 'read_text_file',
      library: 'read_text_file',
      theirs: 'read_text_file',
    };
    const count = bench.quick ? 1000 : 4000;
    const pipelined = (name) => async () => {
      const calls = Array.from({ length: count }, (_, i) => [tools[name], { path: files[i % FILES].path }]);
      const { ms, answers } = await servers[name].pipelined(calls, IN_FLIGHT);
      requireContents(answers, files, count, name);
      return ms;
    };
    const single = (name) => () =>
      timed(async () => {
        for (const { path } of files) await servers[name].call(tools[name], { path });
      });
    try {
      const { rounds } = bench;
      const each = (run, names) => Object.fromEntries(names.map((name) => [name, run(name)]));
      const many = await inTurn(each(pipelined, Object.keys(servers)), { rounds });
      const one = await inTurn(each(single, ['ours', 'theirs']), { rounds: rounds * 3 });
      const against = official.name;
      const shared = { against, rate: count, budget: { atLeast: 2 }, note: `${count} reads` };
      return [
        comparison({ what: `${what}, standard`, ours: many.standard, theirs: many.theirs, ...shared }),
        comparison({ what: `${what}, replay`, ours: many.ours, theirs: many.theirs, ...shared }),
        comparison({
          ...{ what: `${what}, standard`, ours: many.standard, theirs: many.library, rate: count },
          against: LIBRARY_LANE,
        }),
        comparison({ what: '4 KB reads, one by one', ...one, against, rate: FILES }),
        // The system counts processor time in hundredths of a second. With more reads, that error matters less.
        await anchoredRow(bench, folder, files, 2 * count),
      ];
    } finally {
      for (const server of Object.values(servers)) server.stop();
    }
  },
};

/** Lines with anchors against the same lines without, in processor time, because only the labels differ. */
async function anchoredRow(bench, folder, files, count) {
  const what = 'CPU of 4 KB reads with anchors';
  const against = 'plain reads';
  const server = await Server.open(bench.cofferdam(folder, { dialect: 'standard' }));
  const reading = (more) => async () => {
    const calls = Array.from({ length: count }, (_, i) => {
      return ['read_text_file', { path: files[i % FILES].path, ...more }];
    });
    const before = server.cpuMs();
    const { answers } = await server.pipelined(calls, IN_FLIGHT);
    const used = server.cpuMs() - before;
    if (answers.some(({ result }) => !result || result.isError)) throw new Error(`${what}: a read failed`);
    return used;
  };
  try {
    if (server.cpuMs() === undefined) return absent(what, 'this system does not tell', against);
    // The two differ so little that one round on a busy machine would show. It takes many rounds.
    const rounds = 2 * bench.rounds;
    const times = await inTurn({ ours: reading({ anchors: true }), theirs: reading({}) }, { rounds });
    return comparison({ what, ...times, against, budget: { atMost: 1.2 }, note: `${count} reads` });
  } finally {
    server.stop();
  }
}

export function smallFiles(folder) {
  return Array.from({ length: FILES }, (_, index) => {
    const path = join(folder, `small-${index}.txt`);
    const text = `file ${index}: a line of text that is read again and again\n`.repeat(100).slice(0, BYTES);
    writeFileSync(path, text);
    return { path, text };
  });
}

function requireContents(answers, files, count, name) {
  const texts = new Set(files.map(({ text }) => text));
  const good = answers.filter(({ result }) => texts.has(result?.content?.[0]?.text)).length;
  if (good !== count) throw new Error(`${name}: ${count - good} of ${count} reads did not give the file`);
}
