/**
 * Generated files and patches, through `git apply`, GNU `patch --fuzz=0` and applyPatch.
 *
 * Our rule: a hunk is tried at its stated line, then at the nearest place where its whole context matches; no
 * fuzz. The two tools mostly agree with it and with each other. Where they do not:
 *
 * - Where to look. GNU patch starts at the stated line of the old text, moved as the hunk before it was moved.
 *   git starts at the stated line of the new text and moves nothing. Both go outwards, the later place first
 *   of two equally near ones. We do the same as GNU patch, but refuse two places that are equally near.
 * - Beginning and end. git takes a hunk that states line 1 only at the beginning, and one without context at its
 *   end only at the end of the file. GNU patch does so when the hunk has less context on that side than on the
 *   other. We take it wherever all of its lines match, the stated line first and then the nearest: people and
 *   models leave out context where both tools then refuse, or move the change to the end of the file.
 * - No context at all. git puts an insertion without context at the end of the file, GNU patch where it is
 *   stated. We do the same as GNU patch.
 * - Order. git takes hunks in any order; GNU patch refuses one whose lines come before those of an earlier one.
 *   So do we, but unlike GNU patch we then continue to search further down: only a stated line was wrong.
 *   git refuses hunks that share context; GNU patch takes them, and so do we.
 * - No newline at the end. GNU patch ignores the remark on added lines and inserts them in the middle of a file;
 *   git ignores it on lines of context. We honour both: such a hunk only fits at the end. git also joins
 *   lines when it appends to a file whose last line has no newline; GNU patch ends that line first, and so do we.
 */
import { describe, expect, it } from 'vitest';
import { EngineFailure } from '../../../../src/engine/failures.ts';
import { applyPatch } from '../../../../src/engine/text/patch/apply.ts';
import { type ParsedPatch, parsePatch } from '../../../../src/engine/text/patch/parse/parse.ts';
import { patchedBy, whyNot } from './git-and-patch.ts';
import { type PatchCase, patchCase, seededRandom } from './samples.ts';

type Outcome = string | undefined;

/** The rule in its simplest form, without an index, for texts with one kind of line end. */
function byTheRule({ hunks }: ParsedPatch, file: string): Outcome | 'two places' {
  const lines = file === '' ? [] : file.split(/(?<=\n)/);
  const made: string[] = [];
  let done = 0;
  let moved = 0;
  for (const { lines: hunk, oldStart } of hunks) {
    const old = hunk
      .filter(({ mark }) => mark !== '+')
      .map(({ text, newline }) => text + (newline ? '\n' : ''));
    const last = lines.length - old.length;
    const ends = hunk.findLast(({ mark }) => mark !== '-')?.newline === false;
    const stated = Math.max(0, oldStart + moved - (old.length > 0 ? 1 : 0));
    const fitting = Array.from({ length: Math.max(0, last + 1 - done) }, (_, index) => done + index).filter(
      (place) => (!ends || place === last) && old.every((line, index) => lines[place + index] === line),
    );
    const distance = Math.min(...fitting.map((place) => Math.abs(place - stated)));
    const nearest = fitting.filter((place) => Math.abs(place - stated) === distance);
    if (nearest.length === 0 || (old.length === 0 && stated < done)) return undefined;
    if (nearest.length > 1) return 'two places';
    const place = nearest[0]!;
    if (old.length > 0) moved = place - (oldStart - 1);
    made.push(...lines.slice(done, place));
    done = place;
    for (const { mark, text, newline } of hunk.slice(0, hunk.findLastIndex(({ mark }) => mark !== ' ') + 1)) {
      if (mark === ' ') made.push(lines[done]!);
      if (mark !== '+') done++;
      if (mark === '+' && made.at(-1)?.endsWith('\n') === false) made.push('\n');
      if (mark === '+') made.push(text + (newline ? '\n' : ''));
    }
  }
  return [...made, ...lines.slice(done)].join('');
}

function ours(parsed: ParsedPatch, file: string): Outcome {
  try {
    const result = applyPatch(parsed, file, 'file');
    return 'text' in result ? result.text : '';
  } catch (error) {
    if (error instanceof EngineFailure && error.facts.kind === 'hunk-mismatch') return undefined;
    throw error;
  }
}

/** Which rule makes our outcome the right one; undefined if none does. */
function ruleFor(
  parsed: ParsedPatch,
  file: string,
  git: Outcome,
  gnu: Outcome,
  our: Outcome,
): string | undefined {
  const right = byTheRule(parsed, file);
  if (our !== (right === 'two places' ? undefined : right)) return undefined;
  if (right === 'two places') return 'two equally near';
  if (git === gnu && our === git) return git === undefined ? 'both refuse' : 'both apply';
  if (our !== undefined && our === gnu) return 'as GNU patch';
  if (our !== undefined && our === git && gnu === undefined) return 'as git';
  if (marksEnd(parsed) && (our === undefined || our === git || gnu !== undefined))
    return 'no newline at the end';
  if (gnu === undefined && (our === undefined ? parsed.hunks.length > 1 : !inOrder(parsed))) return 'order';
  if (our !== undefined && hasLessContextOnOneSide(parsed)) return 'less context on one side';
  return undefined;
}

function marksEnd(parsed: ParsedPatch): boolean {
  return parsed.hunks.some((hunk) => hunk.lines.some((line) => !line.newline && line.mark !== '-'));
}

/** Whether every hunk states lines after those of the one before. */
function inOrder({ hunks }: ParsedPatch): boolean {
  return hunks.every((hunk, index) => {
    const before = hunks[index - 1];
    return before === undefined || hunk.oldStart >= before.oldStart + Math.max(before.oldCount, 1);
  });
}

/** Whether one of the tools would take a hunk only at the beginning or the end. */
function hasLessContextOnOneSide({ hunks }: ParsedPatch): boolean {
  return hunks.some(({ lines, oldStart }) => {
    const before = lines.findIndex((line) => line.mark !== ' ');
    const after = lines.length - 1 - lines.findLastIndex((line) => line.mark !== ' ');
    return before !== after || after === 0 || oldStart <= 1;
  });
}

function judged(cases: readonly PatchCase[]): Map<string, number> {
  const git = patchedBy('git', cases);
  const gnu = patchedBy('patch', cases);
  const rules = new Map<string, number>();
  for (const [index, { file, patch }] of cases.entries()) {
    const parsed = parsePatch(patch);
    const our = ours(parsed, file);
    const rule = ruleFor(parsed, file, git[index], gnu[index], our);
    if (rule === undefined)
      expect.fail(JSON.stringify({ file, patch, git: git[index], gnu: gnu[index], our }, null, 2));
    rules.set(rule, (rules.get(rule) ?? 0) + 1);
  }
  return rules;
}

/** One file and patch for each point on which the tools disagree, or on which we differ from both. */
const DISAGREEMENTS: readonly (PatchCase & { point: string; git: Outcome; gnu: Outcome; our: Outcome })[] = [
  {
    point: 'a hunk that states line 1 and has as much context on either side may have moved down',
    file: 'x\ny\n1\n2\n3\n',
    patch: '@@ -1,3 +1,3 @@\n 1\n-2\n+B\n 3\n',
    git: undefined,
    gnu: 'x\ny\n1\nB\n3\n',
    our: 'x\ny\n1\nB\n3\n',
  },
  {
    point: 'a hunk with less context after it than before, but some, may have moved',
    file: '1\n2\n3\n4\n5\n6\n',
    patch: '@@ -3,4 +3,4 @@\n 1\n 2\n-3\n+C\n 4\n',
    git: '1\n2\nC\n4\n5\n6\n',
    gnu: undefined,
    our: '1\n2\nC\n4\n5\n6\n',
  },
  {
    point: 'a hunk without context after it applies at its stated line',
    file: '1\n2\n3\n4\n',
    patch: '@@ -2,2 +2,2 @@\n 2\n-3\n+C\n',
    git: undefined,
    gnu: undefined,
    our: '1\n2\nC\n4\n',
  },
  {
    point: 'a hunk without context after it moves to the nearest place, also before the end',
    file: '1\n2\n3\n4\n',
    patch: '@@ -1,2 +1,2 @@\n 2\n-3\n+C\n',
    git: undefined,
    gnu: undefined,
    our: '1\n2\nC\n4\n',
  },
  {
    point: 'a hunk that states line 1 and has less context before than after may have moved down',
    file: '0\n1\n2\n3\n',
    patch: '@@ -1,3 +1,3 @@\n-1\n+A\n 2\n 3\n',
    git: undefined,
    gnu: undefined,
    our: '0\nA\n2\n3\n',
  },
  {
    point: 'a hunk that fits at two places equally near is not guessed',
    file: 'a\nx\nb\n-\n-\n-\na\nx\nb\n',
    patch: '@@ -4,3 +4,3 @@\n a\n-x\n+X\n b\n',
    git: 'a\nx\nb\n-\n-\n-\na\nX\nb\n',
    gnu: 'a\nx\nb\n-\n-\n-\na\nX\nb\n',
    our: undefined,
  },
  {
    point: 'a hunk without context after it that fits at its stated line does not go to the end instead',
    file: '{\n}\n{\n}\n',
    patch: '@@ -2 +2,2 @@\n }\n+;\n',
    git: '{\n}\n{\n}\n;\n',
    gnu: '{\n}\n{\n}\n;\n',
    our: '{\n}\n;\n{\n}\n',
  },
  {
    point: 'lines without any context are inserted where they are stated',
    file: '1\n2\n3\n',
    patch: '@@ -2,0 +3 @@\n+X\n',
    git: '1\n2\n3\nX\n',
    gnu: '1\n2\nX\n3\n',
    our: '1\n2\nX\n3\n',
  },
  {
    point: 'lines are never joined when some are added after a last line without a newline',
    file: '1\n2',
    patch: '@@ -1,2 +1,3 @@\n 1\n 2\n\\ No newline at end of file\n+3\n',
    git: '1\n23\n',
    gnu: '1\n2\n3\n',
    our: '1\n2\n3\n',
  },
  {
    point: 'hunks may share context',
    file: '1\n2\n3\n4\n5\n6\n7\n',
    patch: '@@ -1,5 +1,5 @@\n 1\n 2\n-3\n+C\n 4\n 5\n@@ -4,3 +4,2 @@\n 4\n-5\n 6\n',
    git: undefined,
    gnu: '1\n2\nC\n4\n6\n7\n',
    our: '1\n2\nC\n4\n6\n7\n',
  },
  {
    point: 'hunks stay in order',
    file: '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    patch: '@@ -6,3 +6,3 @@\n 6\n-7\n+G\n 8\n@@ -2,3 +2,3 @@\n 2\n-3\n+C\n 4\n',
    git: '1\n2\nC\n4\n5\n6\nG\n8\n9\n',
    gnu: undefined,
    our: undefined,
  },
  {
    point: 'a line that is added as the last one without a newline cannot stand in the middle',
    file: '1\n2\n3\n',
    patch: '@@ -2 +2 @@\n-2\n+B\n\\ No newline at end of file\n',
    git: undefined,
    gnu: '1\nB\n3\n',
    our: undefined,
  },
  {
    point: 'a last line of context without a newline does not match one with it',
    file: '1\n2\n3\n',
    patch: '@@ -1,3 +1,3 @@\n 1\n-2\n+B\n 3\n\\ No newline at end of file\n',
    git: '1\nB\n3',
    gnu: undefined,
    our: undefined,
  },
];

it('applyPatch follows the rule, wherever a patch may fit', () => {
  const random = seededRandom(31);
  let ties = 0;
  for (let turn = 0; turn < 4000; turn++) {
    const { file, patch } = patchCase(random);
    const parsed = parsePatch(patch);
    const right = byTheRule(parsed, file);
    if (right === 'two places') ties++;
    const our = ours(parsed, file);
    if (our !== (right === 'two places' ? undefined : right))
      expect.fail(JSON.stringify({ file, patch, right, our }));
  }
  expect(ties).toBeGreaterThan(0);
});

describe('applyPatch, compared with git apply and GNU patch,', () => {
  it('agrees with both where they agree, and differs only by the rules above', ({ skip }) => {
    skipWithoutTools(skip);
    const random = seededRandom(2024);
    const rules = judged(Array.from({ length: 600 }, () => patchCase(random)));
    const count = (rule: string): number => rules.get(rule) ?? 0;
    expect(count('both apply')).toBeGreaterThan(200);
    expect(count('both refuse')).toBeGreaterThan(200);
    expect(count('as GNU patch')).toBeGreaterThan(50);
    expect(count('less context on one side')).toBeGreaterThan(10);
  });

  it('is right by our rules where the tools disagree', ({ skip }) => {
    skipWithoutTools(skip);
    const cases = DISAGREEMENTS.map(({ file, patch }) => ({
      file,
      patch: `--- a/file\n+++ b/file\n${patch}`,
    }));
    const git = patchedBy('git', cases);
    const gnu = patchedBy('patch', cases);
    const outcomes = cases.map(({ file, patch }, index) => ({
      point: DISAGREEMENTS[index]!.point,
      git: git[index],
      gnu: gnu[index],
      our: ours(parsePatch(patch), file),
    }));
    expect(outcomes).toEqual(DISAGREEMENTS.map(({ point, git, gnu, our }) => ({ point, git, gnu, our })));
  });
});

function skipWithoutTools(skip: (why: string) => never): void {
  const missing = whyNot('git') ?? whyNot('patch');
  if (missing !== undefined) skip(missing);
}
