/**
 * Rows of the abuse tables that would run, print or grow without end, and must be cut off by the installed program.
 *
 * The endless ones run side by side until the time limit, and the growing ones one after the other. Each endless one
 * would keep a core busy for half a minute, so they run in one mode only, except in a soak, and outside a soak they are
 * stopped with SIGSTOP once they run. test/engine/run/process/ending.test.ts tests the time limit, too.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient, Reply } from '../client.ts';
import { descendantsOf } from '../processes.ts';
import { proves } from '../proves.ts';
import { soak } from '../soak.ts';
import { BETWEEN_LOOKS_AT_PROCESSES_MS, until } from '../until.ts';
import {
  agreedRows,
  type CommandsFixture,
  isInstalled,
  LEAK,
  type Mode,
  makeCommandsFixture,
  modes,
  ownRows,
  peakMemory,
  type Row,
  SECRET,
  startServer,
  titleOf,
  yieldToOthers,
} from './commands-fixture.ts';

const MEBIBYTE = 1024 * 1024;

const rows = [...agreedRows, ...ownRows].filter((row) => row.expect === 'contain');
const isEndless = ({ args }: Row) =>
  args.includes(':a;ba') || args.some((arg) => arg.includes('for(;;)print'));
const endless = rows.filter(isEndless);
const growing = rows.filter((row) => !isEndless(row));
const modesOfLongRuns = soak(modes.slice(0, 1), modes);
const endlessIn = (mode: Mode) => (modesOfLongRuns.includes(mode) ? endless : []);
/** Memory bombs run in one mode only: the shell that starts a command limits its memory in the same way in both. */
const growingIn = (mode: Mode) =>
  modesOfLongRuns.includes(mode) ? growing : growing.filter(({ effect }) => !effect.includes('memory'));

/** Whether the process is the running loop, or the flood after it has printed more than an answer holds. */
const atWork = (pid: number, words: string) => {
  if (/^sed .*:a;ba/.test(words)) return true;
  if (!/^awk .*for\(;;\)print/.test(words)) return false;
  const written = /^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'));
  return Number(written?.[1]) > 2 * MEBIBYTE;
};

/** Stops the endless processes once they run. A stopped process ignores SIGTERM, so the server has to kill it. */
const holdEndless = soak(
  async (server: RawClient) => {
    const found = () => descendantsOf(server.child.pid!).filter(({ pid, words }) => atWork(pid, words));
    await until(() => found().length === endless.length, BETWEEN_LOOKS_AT_PROCESSES_MS);
    for (const { pid } of found()) process.kill(pid, 'SIGSTOP');
  },
  async () => {},
);
const EXIT_CODE = soak(137, 143);

interface Arena {
  fixture: CommandsFixture;
  server: RawClient;
  before: string;
  answers: Map<Row, Promise<Reply>>;
}

const arenas = new Map<Mode, Arena>();

async function openArena(mode: Mode): Promise<void> {
  const fixture = makeCommandsFixture();
  const server = await startServer(fixture, { mode });
  yieldToOthers(server);
  const answers = new Map<Row, Promise<Reply>>();
  arenas.set(mode, { fixture, server, before: fixture.snapshot(), answers });
  const send = (row: Row) => {
    const answer = server.call('shell_exec', { command: row.command, args: row.args.map(fixture.fill) });
    answers.set(row, answer);
    return answer;
  };
  for (const row of endlessIn(mode)) void send(row);
  if (endlessIn(mode).length > 0) await holdEndless(server);
  for (const row of growingIn(mode)) await send(row);
}

beforeAll(() => Promise.all(modes.map(openArena)));

afterAll(async () => {
  for (const { server, fixture } of arenas.values()) {
    await server.end();
    fixture.remove();
  }
});

it('three rows never end by themselves: a loop, a wait and a flood', () => {
  expect(endless.map(({ command }) => command).sort()).toEqual(['awk', 'sed']);
});

describe.each(modes)('%s', (mode) => {
  const textOf = async (row: Row) => {
    const { result } = await arenas.get(mode)!.answers.get(row)!;
    expect(result?.isError).toBeUndefined();
    const text = result!.content[0]!.text!;
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(LEAK);
    expect(Buffer.byteLength(text)).toBeLessThan(2 * MEBIBYTE + 200);
    return text;
  };

  for (const row of growingIn(mode)) {
    it.runIf(isInstalled(row.command))(titleOf(row), async () => {
      const text = await textOf(row);
      expect(text).toMatch(/^exit_code: \d+\nstdout:\n/);
      if (row.effect.includes('memory bomb')) expect(text).not.toMatch(/^exit_code: 0\n/);
    });
  }

  it('other calls are answered while commands run', async () => {
    const { server } = arenas.get(mode)!;
    expect(await server.text('create_directory', { path: 'sub' })).toBe('sub exists already');
    expect(await server.text('shell_exec', { command: 'wc', args: ['-l', 'b.txt'] })).toContain('2 b.txt');
  });

  for (const row of endlessIn(mode)) {
    it(`${titleOf(row)}`, async () => {
      proves('patch.decided.time');
      const text = await textOf(row);
      expect(text.split('\n', 1)).toEqual([`exit_code: ${EXIT_CODE}`]);
      expect(text).toMatch(/\nstderr:\n\[ended after 30 s\]$/);
      if (row.command !== 'awk') return expect(text).toMatch(/^.*\nstdout:\n\nstderr:/);
      const stdout = text.slice(text.indexOf('flood'), text.indexOf('\n[truncated at 1 MiB]'));
      expect(stdout.length).toBeGreaterThan(MEBIBYTE - 10);
      expect(stdout.length).toBeLessThanOrEqual(MEBIBYTE);
    });
  }

  it('the server has neither grown nor kept a process', () => {
    const { server } = arenas.get(mode)!;
    expect(peakMemory(server)).toBeLessThan(256);
    // The orphan guard may still run. It has the mark of the commands as an argument.
    const left = descendantsOf(server.child.pid!).filter(({ words }) => !words.includes('COFFERDAM_RUN='));
    expect(left).toEqual([]);
  });

  it('everything inside and outside is unchanged', () => {
    const { fixture, before } = arenas.get(mode)!;
    expect(fixture.snapshot()).toBe(before);
  });
});
