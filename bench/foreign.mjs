/** Content search on a tree that it was not tuned on, against bare ripgrep: elapsed time and processor time. */
import { run } from './children.mjs';
import { ALL_FILES, AS_LINES, agreement } from './content.mjs';
import { inTurn, median, timed } from './measure.mjs';
import { Server } from './server.mjs';
import { absent, comparison } from './table.mjs';
import { foreignTree } from './tree.mjs';

const MOST = 10_000;
/** The time for all rounds of one search. All rows should take a few minutes, even on a busy machine. */
const PATIENCE_MS = 20_000;
/** After this many searches, whatever they look for, a server knows the files of a large tree. */
const REMEMBERED_AFTER = 5;
/** The mark that programmers leave on unfinished work, in two parts so that a search for such marks skips this line. */
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
/** Makes ripgrep leave out what `standard` leaves out by default. */
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
      for (let round = 1; round <= REMEMBERED_AFTER; round++) {
        bench.say(`getting to know the files: ${round} of ${REMEMBERED_AFTER}`);
        await replay.call('grep_files', replayCall(tree, SEARCHES[0]));
        await standard.call('grep_files', standardCall(tree, SEARCHES[0]));
      }
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

function replayCall(tree, { regex, args = {} }) {
  return { regex, directory: tree.path, maxResults: MOST, ...args };
}

function standardCall(tree, { regex }) {
  return { pattern: regex, path: tree.path, limit: MOST };
}

/** Measures one search. If it runs into its time limit, the row says so, and the other searches are still measured. */
async function measuredRow(bench, server, rg, tree, search) {
  const { regex, flags = [] } = search;
  const line = [...ALL_FILES, ...AS_LINES, ...flags, '-e', regex, tree.path];
  const against = `rg ${flags.join(' ')}`.trim();
  return rowOf(bench, {
    what: search.what,
    ours: () => server.call('grep_files', replayCall(tree, search)),
    server,
    theirs: () => timesOf(rg, line),
    against,
    budget: { atMost: search.budget },
  });
}

/** Searches as most clients do: both sides follow the ignore files of the tree. */
function withIgnoreFiles(bench, server, rg, tree, search) {
  const line = [...WITH_IGNORE_FILES, ...AS_LINES, '-e', search.regex, tree.path];
  return rowOf(bench, {
    what: `${search.what}, with ignore files (standard)`,
    ours: () => server.call('grep_files', standardCall(tree, search)),
    server,
    theirs: () => timesOf(rg, line),
    against: 'rg with ignore files',
    budget: { atMost: search.budget },
    isOtherText: true,
  });
}

/** Takes turns at one search, and compares what both found in the last round, unless our answer has another form. */
async function rowOf(bench, { what, ours, server, theirs, against, budget, isOtherText = false }) {
  const processor = { ours: [], theirs: [] };
  const found = {};
  try {
    const times = await inTurn(
      {
        ours: () =>
          withProcessorTime(server, processor.ours, () =>
            timed(async () => {
              found.ours = await ours();
            }),
          ),
        theirs: async () => {
          const { ms, cpuMs, output } = await theirs();
          processor.theirs.push(cpuMs);
          found.theirs = output;
          return ms;
        },
      },
      { rounds: bench.rounds, patience: PATIENCE_MS },
    );
    const ratio = `processor time ${(median(processor.ours) / median(processor.theirs)).toFixed(2)} ×`;
    const same = isOtherText
      ? ''
      : `${await agreement(
          () => found.ours,
          () => ({ output: found.theirs }),
        )}; `;
    return comparison({ what, ...times, against, budget, note: same + ratio });
  } catch (error) {
    return absent(what, `not measured: ${error.message}`, 'rg');
  }
}

/** Adds the processor time of a server to a list. On a busy machine it says more than the elapsed time. */
async function withProcessorTime(server, list, work) {
  const before = server.cpuMs();
  const result = await work();
  if (before !== undefined) list.push(server.cpuMs() - before);
  return result;
}

/** Runs a command in a shell, which reports its processor time. */
async function timesOf(command, args) {
  const { ms, complaint, output } = await run('sh', ['-c', '"$0" "$@"; times >&2', command, ...args], {
    keep: true,
  });
  const [user, system] = complaint.trim().split('\n').at(-1).split(' ');
  const msOf = (text) => {
    const [minutes, seconds] = text.replace('s', '').split('m').map(Number);
    return (minutes * 60 + seconds) * 1000;
  };
  return { ms, cpuMs: msOf(user) + msOf(system), output };
}
