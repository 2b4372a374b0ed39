/** How long a client waits for the tools after it has started a server. */
import { performance } from 'node:perf_hooks';
import { run } from './children.mjs';
import { inTurn } from './measure.mjs';
import { Server } from './server.mjs';
import { absent, comparison } from './table.mjs';

/** A client that does not begin with `initialize` is served by the protocol library. */
export const LIBRARY_LANE = 'a client that the library serves';

export const start = {
  name: 'start',
  about: 'spawn → tools/list, against bare Node and the official server',
  quick: true,
  async run(bench) {
    const folder = bench.folder('start');
    const official = await bench.peer('official');
    const launches = {
      ours: bench.cofferdam(folder, { dialect: 'standard' }),
      ...(official.launch ? { official: official.launch({ folder, home: folder }) } : {}),
    };
    const turns = { bare: async () => (await run(process.execPath, ['-e', '0'])).ms };
    for (const [name, launch] of Object.entries(launches)) turns[name] = () => untilTools(launch);
    turns.library = () => untilTools(launches.ours, { first: 'ping' });
    const { ours, bare, library, official: theirs } = await inTurn(turns, { rounds: bench.rounds * 3 });
    const what = 'spawn → tools/list';
    return [
      comparison({ what, ours, theirs: bare, against: 'node -e 0', budget: { atMost: 1.6 } }),
      theirs
        ? comparison({ what, ours, theirs, against: official.name, budget: { atMost: 0.5 } })
        : absent(what, official.why, official.name),
      comparison({ what, ours, theirs: library, against: LIBRARY_LANE }),
    ];
  },
};

async function untilTools(launch, options) {
  const begun = performance.now();
  const server = await Server.open(launch, options);
  try {
    await server.tools();
    return performance.now() - begun;
  } finally {
    server.stop();
  }
}
