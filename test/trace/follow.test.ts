import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDirectoryState } from '../../src/state/directory/open.ts';
import { TraceLog, type TraceLogSettings } from '../../src/trace/log.ts';
import { anEvent, aStateDirectory, lineOf, startWriter, until } from './events.ts';

function followed(state: string, settings: TraceLogSettings = {}) {
  const problems: string[] = [];
  const log = new TraceLog(openDirectoryState(state), {
    onProblem: (problem) => problems.push(problem),
    ...settings,
  });
  onTestFinished(() => log.close());
  const ids: string[] = [];
  const stop = log.follow((events) => ids.push(...events.map(({ id }) => id)));
  return { log, ids, stop, problems, trace: join(state, 'trace') };
}

/** An event with the current time. */
function now(id: string) {
  return anEvent({ id, at: Date.now(), ms: 0 });
}

describe('following', () => {
  it('delivers what is appended from now on, and nothing older', async () => {
    const state = aStateDirectory();
    const before = new TraceLog(openDirectoryState(state));
    before.append(now('before'));
    const { log, ids } = followed(state);
    log.append(now('a'));
    before.append(now('b'));
    await until(() => ids.length === 2);
    expect(ids).toEqual(['a', 'b']);
    before.close();
  });

  it('can begin before the directory exists', async () => {
    const state = join(aStateDirectory(), 'not-yet');
    const { ids, log } = followed(state);
    log.append(now('a'));
    await until(() => ids.length === 1);
    log.append(now('b'));
    await until(() => ids.length === 2);
    expect(ids).toEqual(['a', 'b']);
  });

  it('delivers every event of another process once and in order, across many files', async () => {
    const state = aStateDirectory();
    const { ids } = followed(state);
    const writer = await startWriter(state, 'other', 3000, '', {
      bounds: { part: 200_000, all: 100_000_000 },
    });
    expect(await writer.ended).toEqual({ code: 0, output: 'done\n' });
    await until(() => ids.length >= 3000);
    expect(ids).toEqual(Array.from({ length: 3000 }, (_, n) => `other-${n + 1}`));
    expect(readdirSync(join(state, 'trace')).length).toBeGreaterThan(3);
  });

  it('continues after midnight', async () => {
    const state = aStateDirectory();
    let clock = Date.UTC(2025, 10, 16, 23, 59);
    const { log, ids, trace } = followed(state, { now: () => clock });
    log.append(now('a'));
    await until(() => ids.length === 1);
    clock += 120_000;
    log.append(now('b'));
    await until(() => ids.length === 2);
    expect(readdirSync(trace).sort()).toEqual(['2025-11-16.jsonl', '2025-11-17.jsonl']);
  });

  it('waits for the rest of a line', async () => {
    const state = aStateDirectory();
    const { log, ids, trace } = followed(state, { now: () => Date.UTC(2025, 10, 16) });
    log.append(now('a'));
    await until(() => ids.length === 1);
    const line = Buffer.from(lineOf(anEvent({ id: 'ü', at: Date.now() })));
    const file = join(trace, '2025-11-16.jsonl');
    const middle = line.indexOf('ü') + 1;
    appendFileSync(file, line.subarray(0, middle));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(ids).toEqual(['a']);
    appendFileSync(file, line.subarray(middle));
    await until(() => ids.length === 2);
    expect(ids).toEqual(['a', 'ü']);
  });

  it('continues in a file that was emptied, and delivers nothing twice if only its end was cut off', async () => {
    const state = aStateDirectory();
    const { log, ids, trace } = followed(state, { now: () => Date.UTC(2025, 10, 16) });
    const file = join(trace, '2025-11-16.jsonl');
    for (const id of ['a', 'b', 'c', 'd']) log.append(now(id));
    await until(() => ids.length === 4);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    truncateSync(file, readFileSync(file).length / 2);
    log.append(now('e'));
    await until(() => ids.length === 5);
    await new Promise((resolve) => setTimeout(resolve, 50));
    truncateSync(file, 0);
    log.append(now('f'));
    await until(() => ids.length === 6);
    expect(ids).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('continues when the directory was moved away and made again', async () => {
    const state = aStateDirectory();
    let clock = Date.UTC(2025, 10, 16);
    const { log, ids, trace } = followed(state, { now: () => clock });
    log.append(now('a'));
    await until(() => ids.length === 1);
    renameSync(trace, `${trace}.old`);
    clock += 2000;
    log.append(now('b'));
    await until(() => ids.length === 2);
    rmSync(trace, { recursive: true });
    clock += 2000;
    log.append(now('c'));
    await until(() => ids.length === 3);
    expect(ids).toEqual(['a', 'b', 'c']);
  });

  it('skips foreign lines, and a stretch without any newline', async () => {
    const state = aStateDirectory();
    const { log, ids, trace } = followed(state, { now: () => Date.UTC(2025, 10, 16) });
    log.append(now('a'));
    appendFileSync(join(trace, '2025-11-16.jsonl'), `hello\n${'x'.repeat(700_000)}\n`);
    log.append(now('b'));
    await until(() => ids.length === 2);
    expect(ids).toEqual(['a', 'b']);
  });

  it('does not follow a link in place of the directory or of a file', async () => {
    const state = aStateDirectory();
    const elsewhere = aStateDirectory();
    const { ids, problems, trace } = followed(state);
    symlinkSync(elsewhere, trace);
    writeFileSync(join(elsewhere, '2025-11-16.jsonl'), lineOf(now('planted')));
    await until(() => problems.length > 0);
    expect(problems).toEqual([expect.stringContaining('not a real directory')]);
    rmSync(trace);
    mkdirSync(trace);
    symlinkSync(join(elsewhere, '2025-11-16.jsonl'), join(trace, '2025-11-16.jsonl'));
    writeFileSync(join(trace, '2025-11-17.jsonl'), lineOf(now('real')));
    await until(() => ids.length > 0);
    expect(ids).toEqual(['real']);
  });

  it('delivers nothing after it was stopped, and stops when the log closes', async () => {
    const state = aStateDirectory();
    const { log, ids, stop } = followed(state);
    const others: string[] = [];
    log.follow((events) => others.push(...events.map(({ id }) => id)));
    log.append(now('a'));
    await until(() => ids.length === 1 && others.length === 1);
    stop();
    log.append(now('b'));
    await until(() => others.length === 2);
    log.close();
    const another = new TraceLog(openDirectoryState(state));
    another.append(now('c'));
    another.close();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(ids).toEqual(['a']);
    expect(others).toEqual(['a', 'b']);
  });
});
