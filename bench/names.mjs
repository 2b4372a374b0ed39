/** Finds files by name and by glob, and lists the whole tree, against `find`. */
import { run } from './children.mjs';
import { inTurn, timed } from './measure.mjs';
import { Server } from './server.mjs';
import { comparison } from './table.mjs';

/** Applies to trees of at least 50,000 entries. A quick run searches fewer, and is not judged. */
const BUDGET = { atMost: 1.5 };
const LONG_ENOUGH = 10_000;

export const names = {
  name: 'names',
  about: 'name search, globs and the tree, against find',
  quick: true,
  async run(bench) {
    const tree = await bench.tree();
    const { path } = tree;
    const server = await Server.open(bench.cofferdam(path));
    const searches = [
      {
        what: 'names that contain a text',
        tool: ['search_files', { directory: path, nameContains: 'schema' }],
        find: [path, '-mindepth', '1', '-iname', '*schema*'],
      },
      {
        what: 'glob, few files',
        tool: ['glob_search', { directory: path, globs: ['**/*[Ss]chema*.d.ts'], max: 0 }],
        find: [path, '-type', 'f', '-name', '*[Ss]chema*.d.ts'],
      },
      {
        what: 'glob, many files',
        tool: ['glob_search', { directory: path, globs: ['**/*.ts'], max: 0 }],
        find: [path, '-type', 'f', '-name', '*.ts'],
      },
    ];
    const rows = [];
    try {
      for (const search of searches) rows.push(await against(bench, server, tree, search));
      if (!bench.quick) rows.push(await wholeTree(bench, server, tree));
    } finally {
      server.stop();
    }
    return rows;
  },
};

async function against(bench, server, { entries }, { what, tool, find }) {
  bench.say(what);
  const look = () => server.call(...tool);
  const bare = (options) => run('find', find, options);
  const ours = pathsIn(await look());
  const theirs = pathsIn((await bare({ keep: true })).output);
  const note =
    ours.join('\n') === theirs.join('\n')
      ? `${ours.length} of ${entries} entries, the same`
      : `NOT THE SAME: ${ours.length} entries against ${theirs.length}`;
  const times = await inTurn(
    { ours: () => timed(look), theirs: async () => (await bare()).ms },
    { rounds: bench.rounds * 2 },
  );
  return comparison({ what, ...times, against: 'find', budget: bench.quick ? undefined : BUDGET, note });
}

async function wholeTree(bench, server, { path, entries }) {
  bench.say('the whole tree');
  const look = () => server.call('directory_tree', { path });
  const ours = (await look()).split('"type":').length - 2;
  const times = await inTurn(
    { ours: () => timed(look), theirs: async () => (await run('find', [path, '-printf', '%y %p\\n'])).ms },
    { rounds: bench.rounds, patience: LONG_ENOUGH },
  );
  const note = ours === entries ? `${entries} entries, the same` : `NOT THE SAME: ${ours} against ${entries}`;
  return comparison({
    what: 'directory_tree',
    ...times,
    against: 'find -printf',
    budget: { atMost: 1.5 },
    note,
  });
}

function pathsIn(text) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('/'))
    .sort();
}
