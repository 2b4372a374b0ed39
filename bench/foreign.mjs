/** Content search on a tree that it was not tuned on, against bare ripgrep: times, and processor time besides. */
import { run } from './children.mjs';
import { ALL_FILES, AS_LINES, agreement } from './content.mjs';
import { inTurn, median, timed } from './measure.mjs';
import { Server } from './server.mjs';
import { absent, comparison } from './table.mjs';
import { foreignTree } from './tree.mjs';

const MOST = 10_000;
/** For all rounds of one search: seven rows are to take a few minutes. */
const PATIENCE_MS = 25_000;
/** After so many searches the server knows the files of a large tree. */
const REMEMBERED_AFTER = 6;
/** What programmers write above work for later. In two parts, so that a search for such work here does not find it. */
const LATER = ['TO', 'DO'].join('');
const SEARCHES = [
  { what: 'rare literal', regex: 'usb_stor_sense_invalidCDB', budget: 0.9 },
  { what: 'alternation', regex: 'mutex_destroy|kobject_put|dma_resv_fini', budget: 0.9 },
  {
    what: 'word, any case',
    regex: '\\bdeprecated\\b',
    args: { caseInsensitive: true },
    flags: ['-i'],
    budget: 0.9,
  },
  { what: 'two texts in one line', regex: `${LATER}.*lock`, budget: 0.9 },
  {
    what: 'backreference, no literal to speak of',
    regex: '\\b(\\w{4,})_\\1\\b',
    flags: ['-P'],
    budget: 0.8,
  },
];
/** What `standard` leaves out by itself, ripgrep leaves out too. */
const WITH_IGNORE_FILES = ['--no-config', '--hidden', '--no-unicode', '--color=never', '--no-require-git'];

export const foreign = {
  name: 'foreign',
  about: 'content search on sources that it was not tuned on, against bare ripgrep',
  async run(bench) {
    const rg = bench.ripgrep();
    if (!rg) return [absent('foreign sources', 'the ripgrep of the npm package is not here', 'rg')];
    const tree = await treeOrNot(bench);
    if (typeof tree === 'string') return [absent('foreign sources', tree, 'rg')];
    bench.say(`${tree.name}: ${tree.files} files`);
    const rows = [];
    const replay = await Server.open(bench.cofferdam(tree.path));
    const standard = await Server.open(bench.cofferdam(tree.path, { dialect: 'standard' }));
    try {
      for (const search of SEARCHES) {
        bench.say(`${search.what}: /${search.regex}/`);
        rows.push(await measuredRow(bench, replay, rg, tree, search));
      }
      rows.push(await withIgnoreFiles(bench, standard, rg, tree, SEARCHES[0]));
    } finally {
      replay.stop();
      standard.stop();
    }
    return rows;
  },
};

async function treeOrNot(bench) {
  try {
    return await foreignTree(bench.say);
  } catch (error) {
    return `neither apt-get nor npm has a package here: ${error.message}`;
  }
}

/** A search that runs into its time limit on a busy machine says so, and the others are still measured. */
async function measuredRow(bench, server, rg, tree, search) {
  const processor = { ours: [], theirs: [] };
  const { regex, args = {}, flags = [] } = search;
  const call = { regex, directory: tree.path, maxResults: MOST, ...args };
  const line = [...ALL_FILES, ...AS_LINES, ...flags, '-e', regex, tree.path];
  try {
    for (let round = 0; round < REMEMBERED_AFTER; round++) await server.call('grep_files', call);
    const same = await agreement(
      () => server.call('grep_files', call),
      (options) => run(rg, line, { codes: [0, 1], ...options }),
    );
    const times = await inTurn(
      {
        ours: () =>
          withProcessorTime(server, processor.ours, () => timed(() => server.call('grep_files', call))),
        theirs: async () => {
          const { ms, cpuMs } = await timesOf(rg, line);
          processor.theirs.push(cpuMs);
          return ms;
        },
      },
      { rounds: bench.rounds, patience: PATIENCE_MS },
    );
    const note = `${same}; processor time ${(median(processor.ours) / median(processor.theirs)).toFixed(2)} ×`;
    const against = `rg ${flags.join(' ')}`.trim();
    return comparison({ what: search.what, ...times, against, budget: { atMost: search.budget }, note });
  } catch (error) {
    return absent(search.what, `not measured: ${error.message}`, 'rg');
  }
}

/** Adds the processor time that a server takes meanwhile to a list; on a busy machine it says more than the time. */
async function withProcessorTime(server, list, work) {
  const before = server.cpuMs();
  const result = await work();
  if (before !== undefined) list.push(server.cpuMs() - before);
  return result;
}

/** By a shell, which knows the processor time of what it ran. */
async function timesOf(command, args) {
  const { ms, complaint } = await run('sh', ['-c', '"$0" "$@"; times >&2', command, ...args]);
  const [user, system] = complaint.trim().split('\n').at(-1).split(' ');
  const msOf = (text) => {
    const [minutes, seconds] = text.replace('s', '').split('m').map(Number);
    return (minutes * 60 + seconds) * 1000;
  };
  return { ms, cpuMs: msOf(user) + msOf(system) };
}

/** As most clients search: each with the ignore files of the tree. */
async function withIgnoreFiles(bench, server, rg, tree, { what, regex, budget }) {
  const line = [...WITH_IGNORE_FILES, ...AS_LINES, '-e', regex, tree.path];
  const call = { pattern: regex, path: tree.path, limit: MOST };
  const times = await inTurn(
    {
      ours: () => timed(() => server.call('grep_files', call)),
      theirs: async () => (await run(rg, line, { codes: [0, 1] })).ms,
    },
    { rounds: bench.rounds, patience: PATIENCE_MS },
  );
  return comparison({
    what: `${what}, with ignore files (standard)`,
    ...times,
    against: 'rg with ignore files',
    budget: { atMost: budget },
  });
}
