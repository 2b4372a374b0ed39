/** What the page computes without a browser: paths, numbers, heat, time buckets, diffs, command lines. */
import { describe, expect, it } from 'vitest';
import { bucketSize, quantile, timelineOf } from '../../../src/page/data/buckets.ts';
import { callLine } from '../../../src/page/data/call-line.ts';
import { changedCounts, diffLines, withoutCommonEnds } from '../../../src/page/data/diff-lines.ts';
import { EventStore } from '../../../src/page/data/event-store.ts';
import { bytes, clock, compact, duration, otherDay, plural } from '../../../src/page/data/format.ts';
import { childrenOf, HeatTree, heat } from '../../../src/page/data/heat-tree.ts';
import { belowPath, leadingPath, rootName, rootOf, shortPath } from '../../../src/page/data/paths.ts';
import type { How } from '../../../src/trace/events/event.ts';
import { event } from '../rows.ts';

describe('a path', () => {
  it('is shown relative to its served directory', () => {
    expect(shortPath(['/srv/app'], '/srv/app/src/a.ts')).toBe('src/a.ts');
    expect(shortPath(['/srv/app'], '/srv/app')).toBe('.');
    expect(shortPath(['/srv/app'], '/srv/apple/a')).toBe('/srv/apple/a');
    expect(shortPath(['/srv/app', '/srv/lib'], '/srv/lib/a')).toBe('lib/a');
    expect(shortPath(['/'], '/etc/x')).toBe('etc/x');
    expect(shortPath(['C:\\app'], 'C:\\app\\src\\a.ts')).toBe('src/a.ts');
  });

  it('belongs to the innermost served directory that contains it', () => {
    expect(rootOf(['/w', '/w/inner'], '/w/inner/a')).toBe('/w/inner');
    expect(rootOf(['/w'], '/elsewhere')).toBeUndefined();
    expect(rootOf(['C:\\w'], 'C:\\wide\\a')).toBeUndefined();
  });

  it('is not split at a backslash that is part of a name', () => {
    expect(shortPath(['/w'], '/w/src\\a.ts')).toBe('src\\a.ts');
    expect(rootOf(['/w/app'], '/w/app\\a.ts')).toBeUndefined();
    expect(rootName(['/w/a\\b'], '/w/a\\b')).toBe('a\\b');
  });

  it('shows its directory in full when two directories have the same name', () => {
    const roots = ['/one/app', '/two/app', '/lib/'];
    expect(roots.map((root) => rootName(roots, root))).toEqual(['/one/app', '/two/app', 'lib']);
    expect(shortPath(roots, '/two/app/a.ts')).toBe('/two/app/a.ts');
  });

  it('represents its call if it is the created file, not a directory created for it', () => {
    const made = (...paths: string[]) => paths.map((path) => ({ path, how: 'created' as const }));
    expect(leadingPath(made('/w/a', '/w/a/b', '/w/a/b/c.ts', '/w/x'))).toBe('/w/a/b/c.ts');
    expect(leadingPath(made('/w/a', '/w/ab'))).toBe('/w/a');
    expect(leadingPath([{ path: '/w', how: 'listed' }, ...made('/w/a')])).toBe('/w');
    expect(leadingPath([])).toBeUndefined();
  });
});

describe('formatting', () => {
  it('makes numbers short and adds their unit', () => {
    expect([0.2, 12.4, 999.7, 1234, 12_345, 65_000].map(duration)).toEqual([
      '< 1 ms',
      '12 ms',
      '1000 ms',
      '1.2 s',
      '12 s',
      '1 min 5 s',
    ]);
    expect([5, 2048, 5 * 1024 * 1024].map(bytes)).toEqual(['5 B', '2.0 KB', '5.0 MB']);
    expect([9999, 12_345, 2_500_000].map(compact)).toEqual(['9,999', '12.3K', '2.5M']);
    expect([plural(1, 'call'), plural(1200, 'call')]).toEqual(['1 call', '1,200 calls']);
  });

  it('shows the day only if it is not today', () => {
    const noon = new Date(2026, 4, 5, 12, 0, 0).getTime();
    expect([otherDay(noon, noon + 3_600_000), clock(noon)]).toEqual(['', '12:00:00']);
    expect(otherDay(noon, noon + 40 * 3_600_000)).toBe('5 May');
  });
});

describe('the heat of the workspace', () => {
  const tree = new HeatTree();
  const touch = (path: string, how: How) => tree.add(event({ roots: ['/srv/app'], paths: [{ path, how }] }));
  touch('/srv/app/src/a.ts', 'read');
  touch('/srv/app/src/a.ts', 'changed');
  touch('/srv/app/src', 'listed');
  touch('/srv/app/b.md', 'removed');
  touch('/etc/passwd', 'refused');
  touch('/srv/app/b.md', 'refused');
  touch('/elsewhere/x', 'read');

  it('counts reads and writes of each file and of the directories above it', () => {
    const root = tree.roots.get('/srv/app')!;
    expect([root.reads, root.writes]).toEqual([2, 2]);
    const src = root.children.get('src')!;
    expect([src.path, src.reads, src.writes]).toEqual(['/srv/app/src', 2, 1]);
    expect([...tree.roots.keys()]).toEqual(['/srv/app']);
  });

  it('lists directories first, then by name', () => {
    expect(childrenOf(tree.roots.get('/srv/app')!).map(({ name }) => name)).toEqual(['src', 'b.md']);
  });

  it('grows with the logarithm of the count', () => {
    expect([heat(0, 10), heat(10, 10), heat(5, 0)]).toEqual([0, 1, 0]);
    expect(heat(10, 1000)).toBeGreaterThan(0.3);
  });

  it('keeps a backslash in a name, and splits names at it on Windows', () => {
    const both = new HeatTree();
    both.add(event({ roots: ['/w'], paths: [{ path: '/w/src\\a.ts', how: 'read' }] }));
    expect([...both.roots.get('/w')!.children.keys()]).toEqual(['src\\a.ts']);
    both.add(event({ roots: ['C:\\w'], paths: [{ path: 'C:\\w\\src\\a.ts', how: 'read' }] }));
    const src = both.roots.get('C:\\w')!.children.get('src')!;
    expect([src.path, belowPath(src.path), [...src.children.keys()]]).toEqual([
      'C:\\w\\src',
      'C:\\w\\src\\',
      ['a.ts'],
    ]);
  });

  it('accepts names such as __proto__', () => {
    const odd = new HeatTree();
    odd.add(event({ roots: ['/'], paths: [{ path: '/__proto__/constructor', how: 'read' }] }));
    const proto = odd.roots.get('/')!.children.get('__proto__')!;
    expect([proto.path, [...proto.children.keys()]]).toEqual(['/__proto__', ['constructor']]);
  });
});

describe('calls over time', () => {
  const MINUTE = 60_000;
  it('are counted in steps that fit the span', () => {
    expect([0, 60_000, 61_000, 3_600_000, 86_400_000].map(bucketSize)).toEqual([
      1000,
      1000,
      2000,
      MINUTE,
      30 * MINUTE,
    ]);
    expect(bucketSize(20 * 365 * 86_400_000)).toBeGreaterThan(86_400_000);
  });

  it('have a median and a 95th percentile that are measured durations', () => {
    expect(quantile(new Float64Array([]), 0.5)).toBe(0);
    expect(quantile(new Float64Array([1, 2, 3, 4]), 0.5)).toBe(2);
    expect(
      quantile(
        Float64Array.from({ length: 100 }, (_, index) => index + 1),
        0.95,
      ),
    ).toBe(95);
  });

  it('are summed up for each step, whatever their order', () => {
    const store = new EventStore();
    const start = 1_700_000_040_000;
    store.add([
      event({ at: start + 40 * MINUTE, ms: 10, tokensOut: 3 }),
      event({ at: start, ms: 4, outcome: 'failed' }),
      event({ at: start + 1000, ms: 8 }),
    ]);
    const { from, size, buckets } = timelineOf(store.rows);
    expect([from, size, buckets.length]).toEqual([start, MINUTE, 41]);
    expect(buckets[0]).toEqual({ calls: 2, errors: 1, tokens: 10, median: 4, high: 8 });
    expect(buckets[40]).toEqual({ calls: 1, errors: 0, tokens: 3, median: 10, high: 10 });
    expect(timelineOf([]).buckets).toEqual([]);
    expect(timelineOf(store.rows.slice(0, 1)).buckets).toHaveLength(20);
  });
});

describe('a diff', () => {
  it('is parsed into lines with their numbers', () => {
    const lines = diffLines(
      '--- a\n+++ b\n@@ -3,2 +3,3 @@ f()\n same\n-old\n+new\n+more\n\\ No newline at end of file\n',
    );
    expect(lines).toEqual([
      { kind: 'head', text: '--- a' },
      { kind: 'head', text: '+++ b' },
      { kind: 'hunk', text: '@@ -3,2 +3,3 @@ f()' },
      { kind: 'same', text: ' same', old: 3, new: 3 },
      { kind: 'removed', text: '-old', old: 4 },
      { kind: 'added', text: '+new', new: 4 },
      { kind: 'added', text: '+more', new: 5 },
      { kind: 'remark', text: '\\ No newline at end of file' },
    ]);
    expect(changedCounts(lines)).toEqual({ added: 2, removed: 1 });
  });

  it('may have lines that look like headers', () => {
    const lines = diffLines(
      '--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- x\n-@@ -1 +1 @@\n+++ y\n+@@ z\n@@ -9 +9 @@\n-a\n+b\n',
    );
    expect(lines.slice(3).map(({ kind }) => kind)).toEqual([
      'removed',
      'removed',
      'added',
      'added',
      'hunk',
      'removed',
      'added',
    ]);
  });

  it('shows line ends only if they differ', () => {
    const texts = (diff: string) => withoutCommonEnds(diffLines(diff).slice(1)).map(({ text }) => text);
    expect(texts('@@ -1,2 +1,2 @@\n same\r\n-a\r\n+b\n\\ No newline at end of file\n')).toEqual([
      ' same',
      '-a',
      '+b',
      '\\ No newline at end of file',
    ]);
    expect(texts('@@ -1 +1 @@\n-a\r\n+a\n')).toEqual(['-a\r', '+a']);
  });

  it('may be empty or truncated', () => {
    expect(diffLines('')).toEqual([]);
    expect(diffLines('--- a\n+++ b\n@@ -1,9 +1,9 @@\n-a').at(-1)).toEqual({
      kind: 'removed',
      text: '-a',
      old: 1,
    });
  });
});

describe('a call as a command line', () => {
  it('is quoted, and says whether it has all arguments', () => {
    const brief = { path: "it's $HOME\u202e" };
    expect(callLine(event({ brief, roots: ['/srv/my app'] }))).toEqual({
      text: `cofferdam call read_file '{"path":"it'\\''s $HOME\\u202e"}' --dialect replay '/srv/my app'`,
      isWhole: true,
    });
    const cut = event({ brief: { path: 'a', content: { characters: 5 } } });
    expect(callLine(cut)).toMatchObject({ isWhole: false });
    expect(callLine(cut, '{"path":"a","content":"whole"}')).toMatchObject({
      text: expect.stringContaining('"content":"whole"'),
      isWhole: true,
    });
    expect(callLine(cut, '{"path":"a","cont…')).toMatchObject({ isWhole: false });
    expect(callLine(event({ dialect: 'cofferdam', tool: 'undo' }))).toBeUndefined();
  });
});
