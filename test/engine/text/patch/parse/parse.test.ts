import { describe, expect, it } from 'vitest';
import { EngineFailure, type Failure } from '../../../../../src/engine/failures.ts';
import { parsePatch } from '../../../../../src/engine/text/patch/parse/parse.ts';

const names = '--- a/file.txt\n+++ b/file.txt\n';

function refusal(patch: string): Failure {
  try {
    parsePatch(patch);
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
  throw new Error('the patch was read');
}

describe('a patch is read', () => {
  it('with its names, its counts and its lines', () => {
    expect(
      parsePatch(`${names}@@ -3,2 +3,3 @@ section\n a\n-b\n+c\n+d\n\\ No newline at end of file\n`),
    ).toEqual({
      action: 'change',
      oldName: 'a/file.txt',
      newName: 'b/file.txt',
      hunks: [
        {
          oldStart: 3,
          oldCount: 2,
          newStart: 3,
          newCount: 3,
          lines: [
            { mark: ' ', text: 'a', newline: true },
            { mark: '-', text: 'b', newline: true },
            { mark: '+', text: 'c', newline: true },
            { mark: '+', text: 'd', newline: false },
          ],
        },
      ],
    });
  });

  it('as a creation or a deletion when a name is /dev/null, with or without a time', () => {
    const created = parsePatch('--- /dev/null\t1970-01-01\n+++ b/x\n@@ -0,0 +1 @@\n+a\n');
    const deleted = parsePatch('--- a/x\n+++ /dev/null \n@@ -1 +0,0 @@\n-a\n');
    expect([created.action, deleted.action]).toEqual(['create', 'delete']);
  });

  it('without trusting the paths in the headers of git', () => {
    const patch = `diff --git a/x b/y\nrename from x\nrename to y\nindex 1..2\n${names}@@ -1 +1 @@\n-a\n+b\n`;
    expect(parsePatch(patch)).toMatchObject({ oldName: 'a/file.txt', newName: 'b/file.txt' });
  });

  it('the same inside a fence, of which only the outermost is removed', () => {
    const bare = `${names}@@ -1,2 +1,3 @@\n+\`\`\`\n \`\`\`\n-~~~\n+x\n`;
    const expected = parsePatch(bare);
    for (const [open, close] of [
      ['```diff', '```'],
      ['```patch', '```'],
      ['```', '```'],
      ['```udiff title="x"', '```'],
      ['````diff', '````'],
      ['~~~', '~~~'],
      ['```', '```\n```'],
    ]) {
      expect(parsePatch(`${open}\n${bare}${close}\n`)).toEqual(expected);
      expect(parsePatch(`Do this:\n\n${open}\n${bare}${close}\n\n- done\n+ more\n`)).toEqual(expected);
    }
  });

  it('even if an empty line of context lost its space', () => {
    const [hunk] = parsePatch(`${names}@@ -1,3 +1,3 @@\n\n-a\n+b\n\n`).hunks;
    expect(hunk!.lines.map((line) => line.mark + line.text)).toEqual([' ', '-a', '+b', ' ']);
  });
});

describe('a patch is refused', () => {
  it('with the real counts if a header counts wrongly', () => {
    expect(refusal(`${names}@@ -1,3 +1,2 @@\n a\n-b\n+c\n\n`)).toEqual({
      kind: 'bad-patch',
      reason: 'the hunk header counts 3 old and 2 new lines, but 2 old and 2 new lines follow',
      line: 3,
    });
    expect(refusal(`${names}@@ -1 +1 @@\n-a\n+b\n\n+c\n-d\n`)).toMatchObject({
      reason: 'the hunk header counts 1 old and 1 new lines, but 3 old and 3 new lines follow',
    });
  });

  it('with what is missing if it only adds lines but states old ones', () => {
    const { reason } = refusal(`${names}@@ -1,2 +1,3 @@\n+new\n`) as { reason: string };
    expect(reason).toContain('the hunk only adds lines; give a line of the file before or after them');
    expect(parsePatch(`${names}@@ -7,0 +8,2 @@\n+a\n+b\n`).hunks).toHaveLength(1);
  });

  it('with the line that has no mark', () => {
    expect(refusal(`${names}@@ -1,2 +1,2 @@\n a\nb\n+c\n`)).toMatchObject({
      reason:
        "the hunk header counts 2 old and 2 new lines, but 1 old and 1 new lines follow; line 5 begins with none of ' ', '-' and '+'",
      line: 3,
    });
  });

  it('with the name of the second file', () => {
    const one = `${names}@@ -1 +1 @@\n-a\n+b\n`;
    const other = '--- a/other.txt\n+++ b/other.txt\n@@ -1 +1 @@\n-a\n+b\n';
    const reason = 'the patch has more than one file, and the second one is ';
    expect(refusal(one + other)).toEqual({ kind: 'bad-patch', reason: `${reason}b/other.txt`, line: 6 });
    expect(refusal(`${one}diff --git a/z b/z\n${other}`)).toMatchObject({
      reason: `${reason}a/z b/z`,
      line: 6,
    });
    expect(refusal(`\`\`\`diff\n${one}\`\`\`\n\n\`\`\`diff\n${other}\`\`\`\n`)).toMatchObject({ line: 10 });
    expect(refusal(`diff --git a/m b/m\nold mode 1\nnew mode 2\ndiff --git a/n b/n\n${one}`)).toMatchObject({
      reason: `${reason}a/n b/n`,
      line: 4,
    });
    expect(refusal(`${one}--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`)).toMatchObject({
      reason: `${reason}a/gone.txt`,
    });
  });

  it.each([
    ['', 'the patch is empty', 1],
    ['hello', "the patch has no hunks: '--- old', '+++ new' and a line like '@@ -1,3 +1,4 @@' begin one", 1],
    [names, "the patch has no hunks: a line like '@@ -1,3 +1,4 @@' must follow the '+++' line", 2],
    ['Binary files a and b differ', 'the patch is of a binary file, and only text can be patched', 1],
    ['rename from a\nrename to b', 'the patch has no hunks: a rename or a mode alone cannot be applied', 1],
    [`${names}@@ @@\n a\n`, "a hunk header is like '@@ -1,3 +1,4 @@', and this one is '@@ @@'", 3],
    [`${names}@@ -1 +1 @@\n a\n`, 'the hunk changes nothing', 3],
    [`${names}@@ -0,0 +0,0 @@\n`, 'the hunk changes nothing', 3],
    ['--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n', 'both names are /dev/null', 1],
    ['--- /dev/null\n+++ b\n@@ -1 +1 @@\n-a\n+b\n', "a new file can only have '+' lines", 1],
    ['--- a\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n', "the deletion of a file can only have '-' lines", 1],
  ])('in plain words: %j', (patch, reason, line) => {
    expect(refusal(patch)).toEqual({ kind: 'bad-patch', reason, line });
  });

  it('if a number is too large', () => {
    expect(refusal(`${names}@@ -99999999999999999999,1 +1 @@\n-a\n+b\n`)).toMatchObject({ line: 3 });
    expect(refusal(`${names}@@ -1,999999999999 +1 @@\n-a\n+b\n`)).toMatchObject({
      reason: 'the hunk header counts 999999999999 old and 1 new lines, but 1 old and 1 new lines follow',
    });
  });

  it('quickly, however large and malformed it is', () => {
    const hostile = [
      '--\n'.repeat(100_000),
      '\n'.repeat(200_000),
      '@@'.repeat(100_000),
      '```\n'.repeat(50_000),
      `${names}@@ -1,200000 +1 @@\n${'--\n'.repeat(100_000)}`,
      `${names}@@ -1 +1 @@\n-a\n+b\n${'--\n\n'.repeat(50_000)}`,
      `${names}@@ -1 +1 @@\n-a\n+b\n${'\n'.repeat(100_000)}x`,
      `--- ${'a\t'.repeat(100_000)}\n+++ b\n@@ -${'1'.repeat(100_000)}`,
    ];
    for (const patch of hostile.slice(0, 6)) expect(refusal(patch).kind).toBe('bad-patch');
    expect(parsePatch(hostile[6]!).hunks).toHaveLength(1);
    expect(refusal(hostile[7]!).kind).toBe('bad-patch');
  });
});
