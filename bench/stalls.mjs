/** How long the worst calls of every tool block the thread that all calls share, in processor time of one turn. */
import { fileURLToPath } from 'node:url';
import { Server } from './server.mjs';
import { figure } from './table.mjs';
import { dialects, layOut, worstCalls } from './worst-calls.mjs';

const PROBE = fileURLToPath(new URL('stall-probe.cjs', import.meta.url));
const BUDGET = { atMost: 50, of: 'ours' };
const QUICK_SCALE = 0.1;
const CALL_MS = 300_000;
const ATTEMPTS = 3;
const SHOWN = 70;

export const stalls = {
  name: 'stalls',
  about: 'the longest turn of the event loop while each tool works on the worst that it can be asked for',
  quick: false,
  async run(bench) {
    const site = layOut(bench.folder('stalls'), bench.quick ? QUICK_SCALE : 1);
    const rows = [];
    for (const dialect of dialects) rows.push(...(await dialectRows(bench, dialect, site)));
    return rows;
  },
};

async function dialectRows(bench, dialect, site) {
  const flags = ['--state', bench.folder(`stalls-state-${dialect}`)];
  const launch = bench.cofferdam(site.root, { dialect, flags });
  const env = { ...process.env, NODE_OPTIONS: `--require ${PROBE}` };
  const server = await Server.open({ ...launch, env });
  try {
    if (dialect === 'fileeditor') await ask(server, 'set_workspace', { path: site.root });
    const rows = [];
    for (const [what, args] of worstCalls(dialect, site)) {
      const ours = await bestTurn(server, what, args);
      rows.push(figure({ what: `${dialect} ${shown(what, args)}`, ours, unit: 'ms', budget: BUDGET }));
    }
    return rows;
  } finally {
    server.stop();
  }
}

/** The best of a few tries: what other programs do to the caches of the machine says nothing about the server. */
async function bestTurn(server, what, args) {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best > BUDGET.atMost; attempt++) {
    await longestTurn(server);
    await ask(server, what, args);
    best = Math.min(best, await longestTurn(server));
  }
  return best;
}

/** Makes a call. A refusal is fine: many of the calls are refused. */
async function ask(server, what, args) {
  const isMethod = what.includes('/');
  const params = isMethod ? args : { name: what, arguments: args };
  await server.request(isMethod ? what : 'tools/call', params, CALL_MS).catch(() => {});
}

/** The longest turn since this was last asked. */
async function longestTurn(server) {
  server.stderr = '';
  process.kill(server.pid, 'SIGUSR2');
  for (;;) {
    const told = /stall: ([\d.]+)\n/.exec(server.stderr);
    if (told) return Number(told[1]);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function shown(what, args) {
  return `${what} ${JSON.stringify(args).slice(0, SHOWN).replaceAll('|', ' ').replaceAll('`', "'")}`;
}
