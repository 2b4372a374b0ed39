import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDirectoryState } from '../../src/state/directory/open.ts';
import { TraceLog, type TraceLogSettings } from '../../src/trace/log.ts';
import { soak } from '../soak.ts';
import { anEvent, aStateDirectory, eventOf, filesIn, lineOf, linesIn, startWriter } from './events.ts';

const DAY = 24 * 3600 * 1000;
const noon = Date.UTC(2025, 10, 16, 12);

/** A log with a clock that only the test moves. */
function aLog(settings: TraceLogSettings = {}) {
  const state = aStateDirectory();
  const problems: string[] = [];
  const clock = { now: noon };
  const log = new TraceLog(openDirectoryState(state), {
    now: () => clock.now,
    onProblem: (problem) => problems.push(problem),
    ...settings,
  });
  return { state, log, problems, clock, trace: join(state, 'trace') };
}

describe('appending', () => {
  it('opens and creates nothing before the first event', async () => {
    const { log, trace } = aLog();
    expect(await log.recent(10)).toEqual([]);
    log.close();
    expect(existsSync(trace)).toBe(false);
  });

  it('writes one line per event into a file of the day that only the owner can read', () => {
    const { log, state, trace } = aLog();
    log.append(anEvent({ id: 'a' }));
    log.append(anEvent({ id: 'b' }));
    expect(linesIn(state, '2025-11-16.jsonl').map((line) => JSON.parse(line).id)).toEqual(['a', 'b']);
    expect(statSync(trace).mode & 0o777).toBe(0o700);
    expect(statSync(join(trace, '2025-11-16.jsonl')).mode & 0o777).toBe(0o600);
    log.close();
  });

  it('makes a state directory that only the owner can read', () => {
    const state = join(aStateDirectory(), 'not', 'yet');
    const log = new TraceLog(openDirectoryState(state));
    log.append(anEvent());
    log.close();
    expect(statSync(state).mode & 0o777).toBe(0o700);
  });

  it('begins a new file at midnight', () => {
    const { log, state, clock } = aLog();
    log.append(anEvent({ id: 'a' }));
    clock.now = noon + DAY;
    log.append(anEvent({ id: 'b' }));
    expect(filesIn(state)).toEqual(['2025-11-16.jsonl', '2025-11-17.jsonl']);
    log.close();
  });

  it('continues in the next file when one is full, also after a restart', () => {
    const settings = { bounds: { part: 1000, all: 1_000_000 } };
    const { log, state } = aLog(settings);
    for (let n = 0; n < 9; n++) log.append(anEvent({ id: `a${n}` }));
    log.close();
    const later = new TraceLog(openDirectoryState(state), { ...settings, now: () => noon });
    later.append(anEvent({ id: 'b' }));
    later.close();
    const files = filesIn(state);
    expect(files).toEqual(['2025-11-16.1.jsonl', '2025-11-16.2.jsonl', '2025-11-16.jsonl']);
    expect(linesIn(state, '2025-11-16.2.jsonl').at(-1)).toContain('"id":"b"');
    const sizes = files.map((name) => statSync(join(state, 'trace', name)).size);
    expect(Math.max(...sizes)).toBeLessThan(1000 + 400);
  });

  it('removes only the oldest files when all files together are too large', () => {
    const { log, state, clock, trace } = aLog({ bounds: { part: 1000, all: 4000 } });
    log.append(anEvent());
    writeFileSync(join(trace, 'notes.txt'), 'x'.repeat(10_000));
    for (let n = 0; n < 60; n++) {
      clock.now = noon + Math.floor(n / 30) * DAY;
      log.append(anEvent({ id: `event-${n}` }));
      const kept = filesIn(state).filter((name) => name.endsWith('.jsonl'));
      const total = kept.reduce((sum, name) => sum + statSync(join(trace, name)).size, 0);
      expect(total).toBeLessThan(4000 + 400);
    }
    const kept = filesIn(state);
    expect(kept).toContain('notes.txt');
    expect(kept.filter((name) => name.startsWith('2025-11-16'))).toEqual([]);
    expect(linesIn(state, kept.at(-2)!).length).toBeGreaterThan(0);
    log.close();
  });

  it('orders the tenth file of a day after the ninth', async () => {
    const { log, state } = aLog({ bounds: { part: 100, all: 1_000_000 } });
    for (let n = 0; n < 12; n++) log.append(anEvent({ id: `e${n}`, at: noon + n }));
    expect(filesIn(state)).toContain('2025-11-16.11.jsonl');
    expect((await log.recent(4)).map(({ id }) => id)).toEqual(['e8', 'e9', 'e10', 'e11']);
    log.close();
  });

  it('continues in a new file when its own was removed or moved away', () => {
    const { log, state, clock, trace } = aLog();
    log.append(anEvent({ id: 'a' }));
    rmSync(trace, { recursive: true });
    clock.now += 2000;
    log.append(anEvent({ id: 'b' }));
    expect(linesIn(state, '2025-11-16.jsonl')).toEqual([lineOf(anEvent({ id: 'b' })).trimEnd()]);
    renameSync(trace, join(state, 'moved'));
    clock.now += 2000;
    log.append(anEvent({ id: 'c' }));
    expect(linesIn(state, '2025-11-16.jsonl')).toEqual([lineOf(anEvent({ id: 'c' })).trimEnd()]);
    log.close();
  });

  it('continues at the start of a file that was emptied', () => {
    const { log, state, trace } = aLog();
    log.append(anEvent({ id: 'a' }));
    truncateSync(join(trace, '2025-11-16.jsonl'), 0);
    log.append(anEvent({ id: 'b' }));
    expect(linesIn(state, '2025-11-16.jsonl').map((line) => eventOf(line)?.id)).toEqual(['b']);
    log.close();
  });

  it('begins a new line after one that is incomplete', async () => {
    const { log, state, trace } = aLog();
    mkdirSync(trace);
    writeFileSync(join(trace, '2025-11-16.jsonl'), lineOf(anEvent({ id: 'cut' })).slice(0, 40));
    log.append(anEvent({ id: 'a' }));
    expect(linesIn(state, '2025-11-16.jsonl')).toHaveLength(2);
    expect((await log.recent(10)).map(({ id }) => id)).toEqual(['a']);
    log.close();
  });

  it('writes nothing after the log was closed', () => {
    const { log, trace } = aLog();
    log.close();
    log.append(anEvent());
    expect(existsSync(trace)).toBe(false);
  });
});

describe('an obstacle to appending', () => {
  it('can be a link in place of the directory: nothing is written, and that is reported once', async () => {
    const { log, state, problems, trace, clock } = aLog();
    const elsewhere = aStateDirectory();
    symlinkSync(elsewhere, trace);
    log.append(anEvent());
    log.append(anEvent());
    clock.now += 60_000;
    log.append(anEvent());
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('trace is not a real directory')]);
    await expect(log.recent(1)).rejects.toThrow('not a real directory');
    rmSync(trace);
    clock.now += 60_000;
    log.append(anEvent());
    expect(linesIn(state, '2025-11-16.jsonl')).toHaveLength(1);
    expect(problems.slice(1)).toEqual(['calls are recorded again; 3 were not']);
    log.append(anEvent());
    expect(problems).toHaveLength(2);
    log.close();
  });

  it('can be a link that leads nowhere: nothing is created where it points', () => {
    const { log, problems, trace } = aLog();
    const target = join(aStateDirectory(), 'target');
    symlinkSync(target, trace);
    log.append(anEvent());
    expect(existsSync(target)).toBe(false);
    expect(problems).toHaveLength(1);
    log.close();
  });

  it('can be a file in place of the directory', () => {
    const { log, problems, trace } = aLog();
    writeFileSync(trace, 'mine');
    log.append(anEvent());
    expect(readFileSync(trace, 'utf8')).toBe('mine');
    expect(problems).toHaveLength(1);
    log.close();
  });

  it.each([
    ['a link to a file', (path: string, other: string) => symlinkSync(other, path)],
    ['a link that leads nowhere', (path: string) => symlinkSync(`${path}.none`, path)],
    ['a directory', (path: string) => mkdirSync(path)],
    ['a FIFO', (path: string) => execFileSync('mkfifo', [path])],
  ])('can be %s in place of a file: then the next file is used', async (_, place) => {
    const { log, state, problems, trace } = aLog();
    const other = join(state, 'other');
    writeFileSync(other, 'other\n');
    mkdirSync(trace);
    place(join(trace, '2025-11-16.jsonl'), other);
    log.append(anEvent({ id: 'a' }));
    log.append(anEvent({ id: 'b' }));
    expect(linesIn(state, '2025-11-16.1.jsonl')).toHaveLength(2);
    expect(readFileSync(other, 'utf8')).toBe('other\n');
    expect(readdirSync(trace).sort()).toEqual(['2025-11-16.1.jsonl', '2025-11-16.jsonl']);
    expect(problems).toHaveLength(1);
    expect((await log.recent(5)).map(({ id }) => id)).toEqual(['a', 'b']);
    log.close();
  });

  it('can be a full disk: it is reported once, and later lines can be read', async () => {
    const state = aStateDirectory();
    // A limit on the file's size cuts a write in the middle and then refuses, as a full disk does.
    const writer = await startWriter(state, 'full', 200, "trap '' XFSZ; ulimit -f 8;");
    const { code, output } = await writer.ended;
    expect(code).toBe(0);
    expect(output).toMatch(/^not all calls are recorded: .*\ndone\n$/);
    const [name] = filesIn(state);
    expect(readFileSync(join(state, 'trace', name!), 'utf8').endsWith('\n')).toBe(false);
    await (await startWriter(state, 'after', 3)).ended;
    const log = new TraceLog(openDirectoryState(state));
    const ids = (await log.recent(1000)).map(({ id }) => id);
    expect(ids.slice(-4)).toEqual([expect.stringMatching(/^full-/), 'after-1', 'after-2', 'after-3']);
    log.close();
  });
});

describe('two processes', () => {
  it('append to the same files at once without mixing their lines', async () => {
    const state = aStateDirectory();
    const count = 3000;
    const settings = { bounds: { part: 200_000, all: 100_000_000 } };
    const writers = await Promise.all([
      startWriter(state, 'one', count, '', settings),
      startWriter(state, 'two', count, '', settings),
    ]);
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, output: 'done\n' });
    const files = filesIn(state);
    expect(files.length).toBeGreaterThan(5);
    const lines = files.flatMap((name) => linesIn(state, name));
    expect(lines.filter((line) => eventOf(line) === undefined)).toEqual([]);
    const ids = lines.map((line) => eventOf(line)!.id);
    expect(ids.filter((id) => id.startsWith('one-'))).toHaveLength(count);
    expect(ids.filter((id) => id.startsWith('two-'))).toHaveLength(count);
    expect(new Set(ids).size).toBe(2 * count);
  });
});

describe('the recent events', () => {
  it('are the newest that pass the filter, oldest first, across files', async () => {
    const { log, clock } = aLog({ bounds: { part: 1000, all: 1_000_000 } });
    for (let n = 0; n < 40; n++) {
      clock.now = noon + Math.floor(n / 20) * DAY;
      log.append(anEvent({ id: `e${n}`, at: clock.now + n, outcome: n % 2 ? 'failed' : 'ok' }));
    }
    expect((await log.recent(3)).map(({ id }) => id)).toEqual(['e37', 'e38', 'e39']);
    const failed = await log.recent(12, ({ outcome }) => outcome === 'failed');
    expect(failed.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, n) => `e${17 + 2 * n}`));
    expect(await log.recent(1000)).toHaveLength(40);
    expect(await log.recent(0)).toEqual([]);
    log.close();
  });

  it('leave out incomplete and foreign lines, and a stretch without any newline', async () => {
    const { log, trace } = aLog();
    const file = join(trace, '2025-11-16.jsonl');
    log.append(anEvent({ id: 'a' }));
    appendFileSync(file, `hello\n\n{"id":1}\n${lineOf(anEvent({ id: 'torn' })).slice(0, 60)}\n`);
    log.append(anEvent({ id: 'b' }));
    appendFileSync(file, `${'x'.repeat(1_000_000)}\n\0\0\0\xff\n`, 'latin1');
    log.append(anEvent({ id: 'c' }));
    expect((await log.recent(10)).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    log.close();
  });

  it('are found when multibyte characters are split between the blocks that are read', async () => {
    const { log } = aLog();
    const paths = [{ path: `/home/${'日本語é😀'.repeat(60)}`, how: 'read' as const }];
    for (let n = 0; n < 1500; n++) log.append(anEvent({ id: `e${n}`, paths }));
    const all = await log.recent(10_000);
    expect(all).toHaveLength(1500);
    expect(all.every((event) => event.paths[0]!.path === paths[0]!.path)).toBe(true);
    log.close();
  });

  it('are read without reading more than needed, however many there are', async () => {
    const A_DAY = soak(5000, 25_000);
    const { log, trace } = aLog();
    mkdirSync(trace);
    for (let day = 10; day < 14; day++) {
      const lines = Array.from({ length: A_DAY }, (_, n) =>
        lineOf(anEvent({ id: `${day}-${n}`, at: Date.UTC(2025, 10, day) + n })),
      );
      writeFileSync(join(trace, `2025-11-${day}.jsonl`), lines.join(''));
    }
    let looked = 0;
    const events = await log.recent(1000, () => {
      looked += 1;
      return true;
    });
    expect(looked).toBe(1000);
    expect(events.map(({ id }) => id)).toEqual(
      Array.from({ length: 1000 }, (_, n) => `13-${A_DAY - 1000 + n}`),
    );
    expect(await log.recent(5, ({ id }) => id === '10-0')).toHaveLength(1);
    log.close();
  });
});
