/** While a tool works on the worst possible call, the server continues to answer other calls. */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects, layOut, type Site, worstCalls } from '../../bench/worst-calls.mjs';
import { RawClient } from '../client.ts';
import { soak } from '../soak.ts';

const probe = fileURLToPath(new URL('../../bench/stall-probe.cjs', import.meta.url));
/** The size relative to the benchmark: unsplit work still takes longer than the limit. */
const SCALE = soak(0.05, 0.1);
/** The same for directory entries, of which fewer are enough; texts must be long enough to be handled by threads. */
const ENTRY_SCALE = soak(0.025, 0.1);
/** The processor time of one turn of the event loop, in the best of six attempts: other processes share the caches. */
const LONGEST_MS = 50;
const ATTEMPTS = 6;

/** The beginnings of slow calls, by dialect, whose work calls of another dialect do as well: only a soak makes them. */
const ONLY_IN_A_SOAK: Record<string, readonly string[]> = soak<Record<string, string[]>>(
  {
    // Standard also walks and searches everything, and replay also searches for a long pattern.
    repo: ['list_files {"directory":".","max_depth"', 'search_files {', 'get_repo_overview'],
    // Replay also replaces by a regular expression on one long line, and write_files writes as many files as these
    // insertions do.
    fileeditor: ['search_and_replace {"path":"long5.txt"', 'insert_contents {"path":["written/'],
    // Standard also edits very many lines, searches for a text that does not exist, and suggests names for a wrong one.
    // Fileeditor also replaces a text in any letter case.
    replay: [
      'read_multiple_files {"paths":["many/entrie-',
      'edit_files {"paths":["many/entrie-',
      'edit_file {"path":"long2.txt"',
      'glob_search',
      'delete_file',
      'edit_file {"path":"small.txt"',
      'edit_file {"path":"lines.txt","edits":[{"oldText":"line","newText":"row"',
      'edit_file {"path":"lines.txt","edits":[{"oldText":"^line"',
      'edit_file {"path":"lines.txt","edits":[{"oldText":"no such line',
    ],
    // The first two are too short at this scale to show unsplit work. Patch also creates a long file by a patch.
    standard: ['history {"limit"', 'directory_tree {"path":"."', 'apply_patch {"patch":"--- /dev/null'],
  },
  {},
);
const isMeasured = (dialect: string, what: string, args: object) => {
  const call = `${what} ${JSON.stringify(args).replaceAll(`${root}/`, '').replaceAll(root, '.')}`;
  return !ONLY_IN_A_SOAK[dialect]?.some((beginning) => call.startsWith(beginning));
};

const root = mkdtempSync(join(tmpdir(), 'stalls-'));
let site: Site;
beforeAll(() => {
  site = layOut(root, SCALE, ENTRY_SCALE);
});
// Faster than Node for thousands of entries.
afterAll(() => execFileSync('rm', ['-rf', root]));

/** The longest turn since this was last asked. */
async function longestTurn(client: RawClient): Promise<number> {
  const before = client.stderr.length;
  process.kill(client.child.pid!, 'SIGUSR2');
  for (;;) {
    const told = /stall: ([\d.]+)\n/.exec(client.stderr.slice(before));
    if (told) return Number(told[1]);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.each(dialects)('%s', (dialect) => {
  it('delays no other call', async () => {
    const env = { ...process.env, NODE_OPTIONS: `--require ${probe}` };
    const client = await RawClient.start(['--dialect', dialect, root], env);
    if (dialect === 'fileeditor') await client.call('set_workspace', { path: root });
    const slow: string[] = [];
    for (const [what, args] of worstCalls(dialect, site)) {
      if (!isMeasured(dialect, what, args)) continue;
      let best = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < ATTEMPTS && best > LONGEST_MS; attempt++) {
        await longestTurn(client);
        await (what.includes('/') ? client.request(what, args) : client.call(what, args));
        best = Math.min(best, await longestTurn(client));
      }
      if (best > LONGEST_MS) slow.push(`${what} ${JSON.stringify(args).slice(0, 80)}: ${best} ms`);
    }
    await client.end();
    expect(slow).toEqual([]);
  });
});

describe('the first call of a process', () => {
  const fields = Object.fromEntries(Array.from({ length: 4900 }, (_, i) => [`field${i}`, i]));
  const edits = [{ oldText: 'small', newText: 'small' }];
  it.each<[dialect: string, tool: string, args: () => object]>([
    ['standard', 'edit_file', () => ({ path: join(root, 'small.txt'), edits })],
    ['workspace', 'read_file', () => fields],
  ])('loads code and works in different turns: %s, %s', async (dialect, tool, args) => {
    const env = { ...process.env, NODE_OPTIONS: `--require ${probe}` };
    let best = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && best > LONGEST_MS; attempt++) {
      const client = await RawClient.start(['--dialect', dialect, root], env);
      await longestTurn(client);
      await client.call(tool, args());
      best = Math.min(best, await longestTurn(client));
      await client.end();
    }
    expect(best).toBeLessThanOrEqual(LONGEST_MS);
  });
});

describe('memory', () => {
  it('for new objects of V8 stays small under a flood of reads', async () => {
    const probe = fileURLToPath(new URL('../young-space-probe.cjs', import.meta.url));
    const env = { ...process.env, NODE_OPTIONS: `--require ${probe}` };
    const directory = join(root, 'read');
    mkdirSync(directory);
    writeFileSync(join(directory, 'a.txt'), 'sixteen letters\n'.repeat(256));
    const client = await RawClient.start(['--dialect', 'replay', directory], env);
    // By default, V8 lets the space grow to 32 MB in the meantime.
    let left = 2500;
    const reader = async () => {
      while (left-- > 0) await client.call('read_file', { path: join(directory, 'a.txt') });
    };
    await Promise.all(Array.from({ length: 64 }, reader));
    process.kill(client.child.pid!, 'SIGUSR2');
    const told = () => /young: (\d+)\n/.exec(client.stderr)?.[1];
    while (told() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    await client.end();
    expect(Number(told()) / 2 ** 20).toBeLessThanOrEqual(8);
  });

  it('does not grow with the number of searches, however many run at once', async () => {
    const directory = join(root, 'searched');
    mkdirSync(join(directory, ...Array.from({ length: 20 }, () => 'd')), { recursive: true });
    const client = await RawClient.start(['--dialect', 'replay', directory]);
    // If each search kept the memory of its queue, these would keep more than 200 MB.
    let left = soak(400, 1500);
    const searcher = async () => {
      while (left-- > 0) await client.call('grep_files', { directory, regex: `x${left}y` });
    };
    await Promise.all(Array.from({ length: 16 }, searcher));
    const status = readFileSync(`/proc/${client.child.pid}/status`, 'utf8');
    await client.end();
    const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
    expect(megabytes).toBeLessThan(250);
  });

  it('does not grow with the length of the lines that a search finds', async () => {
    const directory = join(root, 'minified');
    mkdirSync(directory);
    writeFileSync(join(directory, '0.js'), `TODO${'x'.repeat(2_000_000)}lock`);
    for (let i = 1; i < 100; i++) linkSync(join(directory, '0.js'), join(directory, `${i}.js`));
    const client = await RawClient.start(['--dialect', 'replay', directory]);
    // If the search kept the line of each match, it would keep 200 MB.
    await client.call('grep_files', { directory, regex: 'TODO.*lock' });
    const status = readFileSync(`/proc/${client.child.pid}/status`, 'utf8');
    await client.end();
    expect(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024).toBeLessThan(200);
  });
});
