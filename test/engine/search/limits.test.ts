import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { bundle } from '../../built.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';
import { soak } from '../../soak.ts';
import type { Tree } from '../../tree.ts';
import { until } from '../../until.ts';
import { builtWorker, type Fixture, fixture } from './search-fixture.ts';

/** A pattern that backtracks for longer than any test waits. */
const RUNAWAY = '^(a+)+$';
/** Without ripgrep, whose engine handles such a pattern quickly and would rule out the bait. */
const ALONE = { ripgrep: false };
const BAIT = `${'a'.repeat(40)}b\n`;

const sites: Fixture[] = [];
async function siteOf(...args: Parameters<typeof fixture>): Promise<Fixture> {
  const made = await fixture(...args);
  sites.push(made);
  return made;
}
afterEach(async () => {
  for (const open of sites.splice(0)) await open.close();
});

function threadsOfThisProcess(): number {
  return readdirSync('/proc/self/task').length;
}

function childProcesses(): string[] {
  const { stdout } = spawnSync('ps', ['-o', 'comm=', '--ppid', String(process.pid)]);
  return stdout
    .toString()
    .split('\n')
    .filter((name) => name === 'rg');
}

function files(count: number): Tree {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`d${i % 40}/e${i % 7}/f${i}.txt`, 'plain\n'] as const),
  );
}

/** Starts searches that never end by themselves, and returns a function that ends them. */
function stuckSearches(here: Fixture, count: number, client: string): () => Promise<unknown[]> {
  const cancels = Array.from({ length: count }, () => new AbortController());
  const running = cancels.map(({ signal }) =>
    here.grep({ regex: RUNAWAY }, { signal, client }).catch((error) => error.facts.kind),
  );
  return () => {
    for (const cancel of cancels) cancel.abort();
    return Promise.all(running);
  };
}

describe('a pattern that runs away', () => {
  it('is ended at the time limit, together with its threads', async () => {
    const here = await siteOf({ 'bait.txt': BAIT, 'more.txt': BAIT }, ALONE);
    await here.grep({ regex: 'b' });
    const before = heldBelow(here.root);
    await expect(here.grep({ regex: RUNAWAY }, { timeoutMs: 300 })).rejects.toMatchObject({
      facts: { kind: 'timeout', what: 'search', ms: 300 },
    });
    expect(here.search.threads).toBeLessThanOrEqual(1);
    await expectNoMoreHeld(before, here.root);
    expect(await here.lines({ regex: 'b$' })).toHaveLength(2);
  });

  it('keeps no other search waiting', async () => {
    const here = await siteOf({ 'bait.txt': BAIT, 'more.txt': BAIT }, ALONE);
    const end = stuckSearches(here, 2, 'hers');
    // The stuck searches never end by themselves: if this one waited for them, it would never be answered.
    expect(await here.lines({ regex: 'b$' })).toHaveLength(2);
    expect(await end()).toEqual(['cancelled', 'cancelled']);
    await expect.poll(() => here.search.threads).toBeLessThanOrEqual(2);
  });

  it('delays no other search, even if many such patterns run at once', async () => {
    const here = await siteOf({ 'bait.txt': BAIT, 'more.txt': BAIT, 'sub/x.txt': 'c\n' }, ALONE);
    const client = 'hers';
    const end = stuckSearches(here, 14, client);
    const listed = here.wall.at(here.root, {}, (place) => here.search.walk(place, {}, { client }));
    expect((await listed).entries).toHaveLength(4);
    expect((await here.grep({ regex: 'b' }, { client })).matches).toBe(2);
    expect((await here.grep({ regex: '^[^a]$' }, { client: 'his' })).matches).toBe(1);
    // Of the 14 searches that never end, 4 have two threads, 8 have one extra thread each and 2 wait.
    expect(here.search.threads).toBeLessThanOrEqual(8 + 8 + 2);
    expect(await end()).toEqual(new Array(14).fill('cancelled'));
    await expect.poll(() => here.search.threads).toBeLessThanOrEqual(2);
  });

  it('ends at once when the call is cancelled', async () => {
    const here = await siteOf({ 'bait.txt': BAIT }, ALONE);
    await here.grep({ regex: 'b' });
    const cancel = new AbortController();
    const running = here.grep({ regex: RUNAWAY }, { signal: cancel.signal, timeoutMs: 60_000 });
    // After the threads have started, only the pattern uses this much processor time.
    const before = process.cpuUsage();
    await until(() => process.cpuUsage(before).user > 300_000);
    cancel.abort();
    await expect(running).rejects.toMatchObject({ facts: { kind: 'cancelled' } });
    expect(here.search.threads).toBeLessThanOrEqual(1);
  });
});

describe('a cancelled call', () => {
  it('does not start if it was cancelled before', async () => {
    const here = await siteOf({ 'a.txt': 'x' });
    const call = { signal: AbortSignal.abort() };
    await expect(here.grep({ regex: 'x' }, call)).rejects.toMatchObject({ facts: { kind: 'cancelled' } });
    expect(here.search.threads).toBe(0);
  });

  it('ends its search, and ripgrep with it', async () => {
    const here = await siteOf(files(300));
    const cancel = new AbortController();
    const running = here.grep({ regex: '\\w\\s?$', plan: 'ripgrep' }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 10);
    await expect(running).rejects.toMatchObject({ facts: { kind: 'cancelled' } });
    expect(childProcesses()).toEqual([]);
  });
});

describe('threads', () => {
  it('start with the first search and end when the search is closed', async () => {
    const here = await siteOf({ 'a.txt': 'x' });
    expect(here.search.threads).toBe(0);
    await here.grep({ regex: 'x' });
    expect(here.search.threads).toBe(2);
    const before = threadsOfThisProcess();
    await here.search.close();
    expect(here.search.threads).toBe(0);
    // The system lists a thread for a moment after it has ended.
    await expect.poll(threadsOfThisProcess).toBe(before - 2);
  });

  it('cancel their search if they are busy when the engine closes', async () => {
    const here = await siteOf({ 'bait.txt': BAIT }, ALONE);
    await here.grep({ regex: 'b' });
    const running = here.grep({ regex: RUNAWAY }).catch((error) => error.facts);
    setTimeout(() => here.search.close(), 200);
    expect(await running).toEqual({ kind: 'cancelled' });
    expect(here.search.threads).toBe(0);
  });

  it('do not keep the process alive', async () => {
    const here = await siteOf({ 'a.txt': 'x\n' });
    const script = await bundle('test/engine/search/one-search.ts', 'one-search.mjs');
    const ran = spawnSync(process.execPath, [script, here.root, await builtWorker(), 'x'], {
      timeout: 120_000,
    });
    expect(ran.stdout.toString()).toBe('{"matches":1,"skippedUnreadable":0}\n');
    expect(ran.status).toBe(0);
  });
});

describe('progress', () => {
  it('is reported while a search runs', async () => {
    const here = await siteOf({ 'a.txt': 'x\n', 'b.txt': BAIT }, ALONE);
    await here.grep({ regex: 'x' });
    const enough = new AbortController();
    const onProgress = ({ files: looked, matches }: { files: number; matches: number }) => {
      if (looked === 1 && matches === 1) enough.abort();
    };
    const call = { timeoutMs: 50_000, signal: enough.signal, onProgress };
    const ended = expect(here.grep({ regex: `x|${RUNAWAY}` }, call)).rejects;
    await ended.toMatchObject({ facts: { kind: 'cancelled' } });
  });
});

describe('a big tree', () => {
  it('is searched with few descriptors, and none of them stays open', async () => {
    const here = await siteOf(files(soak(300, 600)));
    await here.grep({ regex: 'x' });
    const before = heldBelow(here.root);
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, heldBelow(here.root).length);
    }, 1);
    for (let i = 0; i < 3; i++) await here.grep({ regex: 'plain', maxMatches: 50_000 });
    clearInterval(watch);
    expect(most - before.length).toBeLessThanOrEqual(30);
    await expectNoMoreHeld(before, here.root);
  });

  it('may be deeper than the number of descriptors that are held and the longest path', async () => {
    const here = await siteOf({ 'top.txt': 'needle' });
    // The path is longer than any that the system accepts.
    const script = `
      const fs = require('node:fs');
      for (let i = 0; i < 150; i++) {
        const name = 'a-level-with-a-rather-long-name-' + i;
        fs.mkdirSync(name);
        process.chdir(name);
        fs.writeFileSync('a', 'x');
        if (i % 10 === 0) fs.writeFileSync('z' + i + '.txt', 'needle');
      }`;
    const ran = spawnSync(process.execPath, ['-e', script], { cwd: here.root });
    expect(ran.stderr.toString()).toBe('');
    const { files: found, skippedUnreadable } = await here.grep({ regex: 'needle' });
    expect(found).toHaveLength(16);
    expect(skippedUnreadable).toBe(0);
    const longest = found.map(({ path }) => path.length).sort((a, b) => b - a)[0]!;
    expect(longest).toBeGreaterThan(4096);
    const all = await here.wall.at(here.root, {}, (place) => here.search.walk(place, {}));
    expect(all.entries).toHaveLength(150 * 2 + 15 + 1);
    // ripgrep opens whole paths. Some are too long for that, so its result is not used.
    const wordy = await here.grep({ regex: '^\\w{6}$', plan: 'ripgrep' });
    expect(wordy).toMatchObject({ matches: 16, plan: { plan: 'workers' } });
  });
});

describe('an entry that may not be read', () => {
  it('is counted and does not end the search', async () => {
    const here = await siteOf({
      'a.txt': 'needle\n',
      'locked.txt': { text: 'needle\n', mode: '000' },
      'z.txt': 'needle\n',
    });
    mkdirSync(join(here.root, 'm/closed'), { recursive: true });
    writeFileSync(join(here.root, 'm/closed/x.txt'), 'needle');
    chmodSync(join(here.root, 'm/closed'), 0o000);
    chmodSync(here.root, 0o755);
    // The superuser may read everything, so the search runs as another user.
    const script = await bundle('test/engine/search/one-search.ts', 'one-search.mjs');
    const worker = await builtWorker();
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const ran = spawnSync(process.execPath, [script, here.root, worker, 'needle'], { cwd: '/', ...asNobody });
    chmodSync(join(here.root, 'm/closed'), 0o755);
    expect(ran.stderr.toString()).toBe('');
    expect(ran.stdout.toString()).toBe('{"matches":2,"skippedUnreadable":2}\n');
  });
});
