/** What the tools cost a model in tokens, and what an idle server costs in memory. */
import { setTimeout as wait } from 'node:timers/promises';
import { run } from './children.mjs';
import { Server } from './server.mjs';
import { absent, figure } from './table.mjs';

/** A token of English or JSON has about four characters. Models differ by some ten percent either way. */
const CHARACTERS_A_TOKEN = 4;
const IDLE_MS = 1500;
const MEGABYTE = 2 ** 20;

export const tools = {
  name: 'tools',
  about: 'tokens of tools/list in each dialect, and resident memory when idle',
  quick: true,
  async run(bench) {
    const folder = bench.folder('tools');
    const official = await bench.peer('official');
    const theirs = official.launch && (await weigh(official.launch({ folder, home: folder })));
    const { output } = await run(process.execPath, [bench.program, 'tools', '--json'], { keep: true });
    const weighed = await Promise.all(
      JSON.parse(output).map(async ({ dialect }) => {
        return [dialect, await weigh(bench.cofferdam(folder, { dialect }))];
      }),
    );
    return [tokensRow, memoryRow].flatMap((row) =>
      weighed.map(([dialect, ours]) => row(dialect, ours, theirs, official)),
    );
  },
};

function tokensRow(dialect, ours, theirs, official) {
  return figure({
    what: `tools/list of ${dialect}, as sent`,
    ours: ours.tokens,
    theirs: theirs?.tokens,
    unit: 'tokens',
    against: theirs ? official.name : '',
    ...(dialect === 'standard' && theirs ? { budget: { atMost: 1 } } : {}),
    note: [
      `${ours.count} tools${theirs ? ` against ${theirs.count}` : ''}`,
      `names, descriptions and input schemas alone ${ours.shown}${theirs ? ` against ${theirs.shown}` : ''}`,
    ].join('; '),
  });
}

function memoryRow(dialect, ours, theirs, official) {
  const what = `idle memory, ${dialect}`;
  if (!ours.memory) return absent(what, 'this system does not tell');
  return figure({
    what,
    ours: ours.memory.now / MEGABYTE,
    theirs: theirs?.memory && theirs.memory.now / MEGABYTE,
    unit: 'MB',
    against: theirs ? official.name : '',
    budget: { atMost: 60, of: 'ours' },
  });
}

async function weigh(launch) {
  const server = await Server.open(launch);
  try {
    const list = await server.tools();
    await wait(IDLE_MS);
    return {
      count: list.length,
      tokens: tokensOf(list),
      shown: tokensOf(list.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
      memory: server.memory(),
    };
  } finally {
    server.stop();
  }
}

function tokensOf(list) {
  return Math.ceil(JSON.stringify(list).length / CHARACTERS_A_TOKEN);
}
