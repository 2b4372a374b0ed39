/** Content search through one warm server, against bare ripgrep over the same files. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './children.mjs';
import { inTurn, timed } from './measure.mjs';
import { Server } from './server.mjs';
import { absent, comparison } from './table.mjs';

const MOST = 10_000;
const CAP = 500;
const LONGEST_LINE = 500;

/** Makes ripgrep search what we search: all files, with \b and \w as in ECMAScript. */
export const ALL_FILES = ['--no-config', '--no-ignore', '--hidden', '--no-unicode', '--color=never'];
/** Makes ripgrep truncate lines at the same length as we do. */
export const AS_LINES = [
  '--line-number',
  '--with-filename',
  `--max-columns=${LONGEST_LINE}`,
  '--max-columns-preview',
];

const SEARCHES = [
  { what: 'rare literal', regex: 'observeNotification', budget: 1, quick: true },
  {
    what: 'alternation',
    regex: 'ResizeObserver|IntersectionObserver|MutationObserver',
    budget: 1,
  },
  {
    what: 'word, any case',
    regex: '\\bdeprecated\\b',
    args: { caseInsensitive: true },
    flags: ['-i'],
    budget: 1,
  },
  { what: '2 context lines', regex: 'AbortController', args: { contextLines: 2 }, flags: ['-C2'], budget: 1 },
  { what: 'common literal, first 500', regex: 'import', cap: CAP, budget: 1, quick: true },
  {
    what: 'lookahead with a literal',
    regex: 'require\\((?=[\'"]node:)',
    flags: ['-P'],
    budget: 0.6,
    quick: true,
  },
  {
    what: 'backreference with a literal',
    regex: '\\b(\\w+)\\.prototype\\.\\w+ = \\1',
    flags: ['-P'],
    budget: 0.6,
  },
  { what: 'no literal', regex: '[A-Z]{4}[0-9]{6}[A-Z]', budget: 1.2, alone: 2, quick: true },
  {
    what: 'no literal, classes of any length',
    regex: '\\b[a-z]+[0-9]+[a-z]+[0-9]+[a-z]+[0-9]{3}\\b',
    budget: 1.2,
    alone: 2,
  },
  {
    what: 'no literal, a long run of letters',
    regex: '\\b[A-Za-z]{45,}\\b',
    budget: 1.2,
    alone: 2,
  },
  {
    what: 'no literal, and nothing seldom',
    regex: '\\b[a-z]+(?:[A-Z][a-z]+){9}\\b',
    budget: 1.2,
    alone: 2,
  },
];
const COUNTED = 'return';

export const content = {
  name: 'content',
  about: 'content search, against bare ripgrep',
  quick: true,
  async run(bench) {
    const rg = bench.ripgrep();
    if (!rg) return [absent('content search', 'the ripgrep of the npm package is not here', 'rg')];
    const whole = await bench.tree();
    const tree = whole.code;
    const withRipgrep = await Server.open(bench.cofferdam(whole.path));
    const without = await Server.open(bench.cofferdam(whole.path, { program: programWithoutRipgrep(bench) }));
    const wanted = SEARCHES.filter(({ quick }) => quick || !bench.quick);
    const rows = [];
    try {
      for (const search of wanted) {
        bench.say(`${search.what}: /${search.regex}/`);
        rows.push(await against(bench, withRipgrep, rg, tree, search, search.budget));
        if (search.alone === undefined) continue;
        const alone = { ...search, what: `${search.what}, without ripgrep` };
        rows.push(await against(bench, without, rg, tree, alone, search.alone));
      }
      if (!bench.quick) rows.push(await withTinyFiles(bench, withRipgrep, rg, whole));
    } finally {
      withRipgrep.stop();
      without.stop();
    }
    bench.say(`all matches counted: /${COUNTED}/`);
    return [...rows, await counted(bench, rg, tree)];
  },
};

async function against(bench, server, rg, tree, search, budget) {
  const { regex, args = {}, flags = [], cap } = search;
  const call = { regex, directory: tree.path, maxResults: cap ?? MOST, ...args };
  const grep = () => server.call('grep_files', call);
  const line = [...ALL_FILES, ...AS_LINES, ...flags, '-e', regex, tree.path];
  const bare = cap
    ? (options) => run('sh', ['-c', `exec "$0" "$@" | head -${cap}`, rg, ...line], options)
    : (options) => run(rg, line, { codes: [0, 1], ...options });
  const note = cap ? await cappedNote(grep, bare, cap) : await agreement(grep, bare);
  const times = await inTurn(
    { ours: () => timed(grep), theirs: async () => (await bare()).ms },
    { rounds: bench.rounds },
  );
  const shown = `rg ${flags.join(' ')}${cap ? `… | head -${cap}` : ''}`.trim();
  return comparison({ what: search.what, ...times, against: shown, budget: judged(bench, budget), note });
}

/** The same search on a tree whose files are so small that opening them is most of the work. */
function withTinyFiles(bench, server, rg, tree) {
  const tiny = tree.files - tree.code.files;
  const search = { ...SEARCHES[0], what: `${SEARCHES[0].what}, with ${tiny} tiny files more` };
  bench.say(search.what);
  return against(bench, server, rg, tree, search, search.budget);
}

/** Budgets apply to trees of at least 30,000 files. A quick run searches fewer, and is not judged. */
function judged(bench, atMost) {
  return bench.quick ? undefined : { atMost };
}

/** Whether both found the same lines, as `path:number`. */
export async function agreement(grep, bare) {
  const ours = matchedLines(await grep());
  const theirs = matchedLines((await bare({ keep: true })).output);
  const missing = [...theirs].filter((line) => !ours.has(line));
  const more = [...ours].filter((line) => !theirs.has(line));
  if (missing.length === 0 && more.length === 0) return `${ours.size} lines, the same`;
  const example = missing[0] ?? more[0];
  return `NOT THE SAME: ${ours.size} lines against ${theirs.size}, for example ${example.slice(-80)}`;
}

function matchedLines(output) {
  const lines = new Set();
  for (const line of output.split('\n')) {
    const place = /^(\/.*?:\d+):/.exec(line)?.[1];
    if (place !== undefined) lines.add(place);
  }
  return lines;
}

async function cappedNote(grep, bare, cap) {
  const ours = matchedLines(await grep()).size;
  const theirs = matchedLines((await bare({ keep: true })).output).size;
  const same = ours === cap && theirs === cap;
  return same
    ? `${cap} lines each; ours are the first by path`
    : `NOT THE SAME: ${ours} lines against ${theirs}`;
}

/** Searches through the engine as a library: it shows no lines, and counts all of them. */
async function counted(bench, rg, tree) {
  const { Engine } = await import(pathToFileURL(join(bench.dist, 'engine.mjs')).href);
  const engine = new Engine({ roots: [{ path: tree.path, writable: false }] });
  const query = { regex: COUNTED, maxMatches: 1, countAll: true };
  const count = async () => (await engine.search.grep(tree.path, query)).totalMatches;
  const line = (how) => [...ALL_FILES, how, '--no-filename', '-e', COUNTED, tree.path];
  try {
    const ours = await count();
    const { output } = await run(rg, line('--count'), { keep: true });
    const theirs = output.split('\n').reduce((sum, number) => sum + Number(number), 0);
    const note = ours === theirs ? `${ours} lines, the same` : `NOT THE SAME: ${ours} against ${theirs}`;
    const times = await inTurn(
      { ours: () => timed(count), theirs: async () => (await run(rg, line('--count-matches'))).ms },
      { rounds: bench.rounds },
    );
    const what = 'common literal, all counted';
    return comparison({ what, ...times, against: 'rg --count-matches', budget: judged(bench, 1.3), note });
  } finally {
    await engine.close();
  }
}

/** A copy of the built program that finds no node_modules, and so no ripgrep. */
function programWithoutRipgrep(bench) {
  const folder = join(bench.folder('without-ripgrep'), 'dist');
  cpSync(bench.dist, folder, { recursive: true });
  return join(folder, 'cofferdam.cjs');
}
