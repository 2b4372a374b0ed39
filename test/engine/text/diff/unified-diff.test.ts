import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../../../src/engine/text/diff/unified-diff.ts';
import { pick, seededRandom } from '../patch/samples.ts';

function diff(oldText: string, newText: string, context?: number): string {
  const names = { oldName: 'old.txt', newName: 'new.txt' };
  return unifiedDiff(oldText, newText, context === undefined ? names : { ...names, context });
}

/** A diff without its two lines of names. */
function hunks(oldText: string, newText: string, context?: number): string {
  return diff(oldText, newText, context).replace(/^--- old\.txt\n\+\+\+ new\.txt\n/, '');
}

const ten = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n';

describe('a unified diff', () => {
  it('is empty when nothing differs', () => {
    expect(diff('', '')).toBe('');
    expect(diff('a\nb', 'a\nb')).toBe('');
  });

  it('names both files, then shows three lines around each change', () => {
    expect(diff(ten, ten.replace('5', 'five'))).toBe(
      '--- old.txt\n+++ new.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    );
  });

  it('omits a count of one, and states the line before if there are no lines', () => {
    expect(hunks('a\n', 'b\n')).toBe('@@ -1 +1 @@\n-a\n+b\n');
    expect(hunks('', 'a\n')).toBe('@@ -0,0 +1 @@\n+a\n');
    expect(hunks('a\nb\n', '')).toBe('@@ -1,2 +0,0 @@\n-a\n-b\n');
    expect(hunks('a\nb\n', 'a\nx\nb\n', 0)).toBe('@@ -1,0 +2 @@\n+x\n');
    expect(hunks('a\nx\nb\n', 'a\nb\n', 0)).toBe('@@ -2 +1,0 @@\n-x\n');
  });

  it('says if a last line has no newline', () => {
    const remark = '\\ No newline at end of file\n';
    expect(hunks('a\nb', 'a\nb\n')).toBe(`@@ -1,2 +1,2 @@\n a\n-b\n${remark}+b\n`);
    expect(hunks('a\nb\n', 'a\nb')).toBe(`@@ -1,2 +1,2 @@\n a\n-b\n+b\n${remark}`);
    expect(hunks('a\nb', 'a\nc')).toBe(`@@ -1,2 +1,2 @@\n a\n-b\n${remark}+c\n${remark}`);
    expect(hunks('a\nb', 'A\nb')).toBe(`@@ -1,2 +1,2 @@\n-a\n+A\n b\n${remark}`);
    expect(hunks('', 'a')).toBe(`@@ -0,0 +1 @@\n+a\n${remark}`);
  });

  it('treats a carriage return as part of its line', () => {
    expect(hunks('a\r\nb\r\n', 'a\r\nb\n')).toBe('@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n');
    expect(hunks('a\rb\n', 'a\rc\n')).toBe('@@ -1 +1 @@\n-a\rb\n+a\rc\n');
  });

  it('joins changes whose context touches, and separates those further apart', () => {
    const near = ten.replace('2', 'two').replace('9', 'nine');
    expect(hunks(ten, near).match(/^@@.*$/gm)).toEqual(['@@ -1,10 +1,10 @@']);
    expect(hunks(ten, near, 2).match(/^@@.*$/gm)).toEqual(['@@ -1,4 +1,4 @@', '@@ -7,4 +7,4 @@']);
  });

  it('shows a repeated block as added after the first one', () => {
    const block = 'function a() {\n  go();\n}\n\n';
    expect(hunks(`${block}end\n`, `${block}${block}end\n`)).toBe(
      '@@ -2,4 +2,8 @@\n   go();\n }\n \n+function a() {\n+  go();\n+}\n+\n end\n',
    );
  });

  it('adds lines that fit in two places at the later one, where they join others', () => {
    expect(hunks('b\na\nb\n', 'a\nb\nb\na\n')).toBe('@@ -1,3 +1,4 @@\n-b\n a\n b\n+b\n+a\n');
  });

  it('keeps functions whole instead of pairing the braces of one with those of another', () => {
    const first = 'int first(int x)\n{\n  for (i = 0; i < x; i++)\n  {\n    print(i);\n  }\n}\n\n';
    const second = 'int second(int x)\n{\n  if (x > 1)\n  {\n    return x;\n  }\n  return 1;\n}\n\n';
    const third = 'int third(int x)\n{\n  if (x > 3)\n  {\n    return 3;\n  }\n  return 1;\n}\n\n';
    const main = 'int main()\n{\n  first(10);\n}\n';
    const marked = (mark: string, text: string): string => text.replace(/^/gm, mark).slice(0, -mark.length);
    expect(hunks(first + second + main, third + first + main, 1)).toBe(
      `@@ -1 +1,10 @@\n${marked('+', third)} int first(int x)\n` +
        `@@ -8,11 +17,2 @@\n \n${marked('-', second)} int main()\n`,
    );
  });

  it('quotes a name that would break its line', () => {
    const names = { oldName: 'a\nb', newName: 'tab\there' };
    expect(unifiedDiff('1\n', '2\n', names).split('\n').slice(0, 2)).toEqual([
      '--- "a\\nb"',
      '+++ "tab\\there"',
    ]);
  });

  it('shows a very long line whole', () => {
    const long = 'x'.repeat(100_000);
    expect(hunks(`${long}a\n`, `${long}b\n`)).toBe(`@@ -1 +1 @@\n-${long}a\n+${long}b\n`);
  });
});

describe('a unified diff, compared with diff -u,', () => {
  it('has the same bytes if lines do not repeat, so that there is only one shortest diff', ({ skip }) => {
    if (spawnSync('diff', ['--version']).error)
      skip('diff is not installed, so there is nothing to compare with');
    const random = seededRandom(7);
    const pairs = Array.from({ length: 150 }, () => {
      const lines = Array.from({ length: 1 + random(60) }, (_, index) => `line ${index}`);
      const changed = lines.flatMap((line) =>
        pick(random, [
          [line],
          [line],
          [line],
          [line],
          [line],
          [line],
          [],
          [`${line} changed`],
          [line, `after ${line}`],
        ]),
      );
      const end = (text: string): string => (text !== '' && random(4) > 0 ? `${text}\n` : text);
      return { old: end(lines.join('\n')), new: end(changed.join('\n')) };
    });
    const printed = printedByDiff(pairs);
    for (const [index, pair] of pairs.entries())
      expect(hunks(pair.old, pair.new)).toBe(printed.get(index) ?? '');
  });
});

/** The hunks that `diff -u` prints for each pair, all from one process. */
function printedByDiff(pairs: readonly { old: string; new: string }[]): Map<number, string> {
  const directory = mkdtempSync(join(tmpdir(), 'cofferdam-diff-'));
  try {
    for (const side of ['old', 'new'] as const) {
      mkdirSync(join(directory, side));
      for (const [index, pair] of pairs.entries())
        writeFileSync(join(directory, side, `${index}`), pair[side]);
    }
    const answer = spawnSync('diff', ['-u', '-r', 'old', 'new'], {
      cwd: directory,
      encoding: 'utf8',
      maxBuffer: 1e8,
    });
    const parts = answer.stdout.split(/^diff -u -r old\/\d+ new\/(\d+)\n.*\n.*\n/m).slice(1);
    const printed = new Map<number, string>();
    for (let part = 0; part < parts.length; part += 2) printed.set(Number(parts[part]), parts[part + 1]!);
    return printed;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
