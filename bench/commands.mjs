/** What a command costs beyond starting the same program by hand, with and without a sandbox. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './children.mjs';
import { inTurn, timed } from './measure.mjs';
import { Server } from './server.mjs';
import { absent, comparison, msText } from './table.mjs';

export const commands = {
  name: 'commands',
  about: 'the overhead of a command over a bare spawn, with and without bubblewrap',
  quick: false,
  async run(bench) {
    const folder = bench.folder('commands');
    const file = join(folder, 'a.txt');
    writeFileSync(file, 'one line\n');
    const cases = [
      {
        what: 'sh -c true',
        dialect: 'replay',
        tool: ['execute_command', { command: 'true' }],
        argv: ['/bin/sh', '-c', 'true'],
      },
      {
        what: 'cat a.txt',
        dialect: 'patch',
        tool: ['shell_exec', { command: 'cat', args: ['a.txt'] }],
        argv: ['cat', file],
      },
      {
        what: 'node -e 0',
        dialect: 'workspace',
        tool: ['run_command', { command: 'node', args: ['-e', '0'] }],
        argv: [process.execPath, '-e', '0'],
      },
    ];
    const rows = [];
    for (const each of cases) {
      for (const sandbox of ['off', 'require']) rows.push(await overhead(bench, folder, each, sandbox));
    }
    return [...rows, await snapshotRow(bench)];
  },
};

const DIRECTORIES = 500;
const FILES_EACH = 198;

/** What it costs that the journal compares all entries before and after a command. */
async function snapshotRow(bench) {
  const entries = DIRECTORIES * (FILES_EACH + 1);
  const what = `sh -c true beside ${entries.toLocaleString('en')} entries`;
  bench.say(what);
  const folder = bench.folder('snapshots');
  for (let at = 0; at < DIRECTORIES; at++) {
    mkdirSync(join(folder, `d${at}`));
    for (let file = 0; file < FILES_EACH; file++) writeFileSync(join(folder, `d${at}`, `f${file}`), 'x');
  }
  const server = await Server.open(
    bench.cofferdam(folder, { dialect: 'replay', flags: ['--sandbox', 'off'] }),
  );
  try {
    // The first command copies the contents of all files.
    await server.call('execute_command', { command: 'true' });
    const { ours, theirs } = await inTurn(
      {
        ours: () => timed(() => server.call('execute_command', { command: 'true' })),
        theirs: async () => (await run('find', [folder, '-newermt', '2200-01-01'])).ms,
      },
      { rounds: bench.rounds },
    );
    const note = `two snapshots, ${msText(ours.best / 2)} each at best; find walks the tree once`;
    return comparison({ what, ours, theirs, against: 'find by time', note });
  } finally {
    server.stop();
  }
}

async function overhead(bench, folder, { what: command, dialect, tool, argv }, sandbox) {
  const what = `${command}, ${sandbox === 'off' ? 'no sandbox' : 'bubblewrap'}`;
  bench.say(what);
  const server = await Server.open(bench.cofferdam(folder, { dialect, flags: ['--sandbox', sandbox] }));
  try {
    const offered = (await server.tools()).some(({ name }) => name === tool[0]);
    if (!offered) return absent(what, 'bubblewrap does not work here', 'a bare spawn');
    const [program, ...args] = argv;
    const { ours, theirs } = await inTurn(
      {
        ours: () => timed(() => server.call(...tool)),
        theirs: async () => (await run(program, args)).ms,
      },
      { rounds: bench.rounds * 4 },
    );
    const more = `${msText(ours.best - theirs.best)} more at best, ${msText(ours.median - theirs.median)} in the middle`;
    return comparison({ what, ours, theirs, against: 'a bare spawn', note: more });
  } finally {
    server.stop();
  }
}
