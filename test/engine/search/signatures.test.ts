/** What a search remembers about files: it need not read them again, and it still finds every change. */
import {
  chmodSync,
  readFileSync,
  renameSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ContentSearch } from '../../../src/engine/search/match/search-file.ts';
import { pick, randomFrom } from './generated.ts';
import { type Fixture, fixture, plainly } from './search-fixture.ts';

const FILES = 300;
const WORDS = ['harbour', 'Lantern', 'quay', 'ROPE', 'tide', 'über', 'anchor_1', 'x'];
/** The file systems on which a search remembers files: ext, XFS, btrfs, F2FS. */
const REMEMBERED = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010].includes(statfsSync(tmpdir()).type);
const random = randomFrom(11);
let site: Fixture | undefined;

afterEach(async () => {
  await site?.close();
  site = undefined;
});

function line(): string {
  return `${Array.from({ length: 5 }, () => pick(random, WORDS)).join(' ')}\n`;
}

/** A fixture whose files count as settled at once. */
async function rememberingSite(): Promise<Fixture> {
  const tree: Record<string, string> = {};
  for (let at = 0; at < FILES; at++) tree[`d${at % 7}/f${at}.txt`] = line().repeat(1 + (at % 90));
  site = await fixture(tree, { settledAfterMs: -1000 });
  // Each file gets its signature when it is read for the second time.
  for (let round = 0; round < 3; round++) await site.grep({ regex: 'nowhere_to_be_found' });
  return site;
}

/** How many bytes this process has read from files so far. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))![1]);
}

describe('a search of files that an earlier one read', () => {
  it.runIf(REMEMBERED)('reads none that cannot contain the literal', async () => {
    const { grep, root } = await rememberingSite();
    const { size } = statSync(join(root, 'd5/f89.txt'));
    const before = bytesRead();
    const { filesSearched, files } = await grep({ regex: 'nothing_like_this' });
    expect(bytesRead() - before).toBeLessThan(size * 4);
    expect({ filesSearched, files }).toEqual({ filesSearched: FILES, files: [] });
  });

  it('finds the same lines as a search that reads every file', async () => {
    const { lines, root } = await rememberingSite();
    const patterns = [
      'harbour',
      'quay ROPE',
      'tide|x x x',
      'über',
      'anchor_1.*Lantern',
      'x',
      'Lantern tide$',
    ];
    for (const regex of patterns) {
      expect(await lines({ regex }), regex).toEqual(plainly(root, new RegExp(regex)));
      expect(await lines({ regex, flags: 'i' }), regex).toEqual(plainly(root, new RegExp(regex, 'i')));
    }
  });

  it.runIf(REMEMBERED)('remembers a file that is larger than what it reads at once', async () => {
    const { capacity } = ContentSearch.kernel();
    const filler = 'rope and tide\n'.repeat(300_000);
    // The signature is made in pieces: this text is where two of them meet.
    const text = `${filler.slice(0, capacity - 2)}\nqzj\n${filler}`;
    site = await fixture({ 'large.txt': text }, { settledAfterMs: -1000 });
    for (let round = 0; round < 3; round++) await site.grep({ regex: 'nowhere_to_be_found' });
    const before = bytesRead();
    expect(await site.lines({ regex: 'nothing_like_this' })).toEqual([]);
    expect(bytesRead() - before).toBeLessThan(text.length / 2);
    expect((await site.lines({ regex: 'qzj' })).length).toBe(1);
  });

  it('notices a change that keeps the size and the modification time', async () => {
    const { lines, root } = await rememberingSite();
    const path = join(root, 'd3/f3.txt');
    const { atime, mtime, size } = statSync(path);
    writeFileSync(path, 'lighthouse'.padEnd(size - 1).concat('\n'));
    utimesSync(path, atime, mtime);
    expect((await lines({ regex: 'lighthouse' })).length).toBe(1);
  });

  it('notices another file of the same size in its place', async () => {
    const { lines, root } = await rememberingSite();
    const path = join(root, 'd4/f4.txt');
    const { atime, mtime, size } = statSync(path);
    writeFileSync(`${path}.new`, 'lighthouse'.padEnd(size - 1).concat('\n'));
    utimesSync(`${path}.new`, atime, mtime);
    renameSync(`${path}.new`, path);
    expect((await lines({ regex: 'lighthouse' })).length).toBe(1);
  });

  it.runIf(process.getuid?.() !== 0)('reports that a file may no longer be read', async () => {
    const { grep, root } = await rememberingSite();
    chmodSync(join(root, 'd5/f5.txt'), 0);
    expect((await grep({ regex: 'nowhere_else' })).unreadable).toEqual(['d5/f5.txt']);
  });

  it.runIf(process.platform === 'linux')('reads files that changed within the last minute', async () => {
    site = await fixture({ 'a.txt': 'one two three\n'.repeat(20_000) });
    for (let round = 0; round < 3; round++) await site.grep({ regex: 'lighthouse' });
    const before = bytesRead();
    await site.grep({ regex: 'lighthouse' });
    const { size } = statSync(join(site.root, 'a.txt'));
    expect(bytesRead() - before).toBeGreaterThanOrEqual(size);
  });
});
