/** Generated files and patches for the tests of diffs and patches: the same seed gives the same ones. */
import { unifiedDiff } from '../../../../src/engine/text/diff/unified-diff.ts';

export type Random = (below: number) => number;

export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)]!;
}

/** Small vocabularies make lines repeat, so that hunks fit in more than one place. */
const VOCABULARIES: readonly (readonly string[])[] = [
  ['a', 'b'],
  ['a', 'b', 'c', 'd', ''],
  ['if (x) {', '}', '', '  return x;', '  x += 1;', 'else {'],
  Array.from({ length: 40 }, (_, index) => `word ${index}`),
  Array.from({ length: 400 }, (_, index) => `line ${index}`),
];

/** In a diff, these lines look like a part of the diff itself, or like the fence around it. */
const TRICKY = [
  '--- a',
  '+++ b',
  '@@ -1 +1 @@',
  '```',
  '\\ No newline',
  '-',
  '+',
  ' ',
  'diff --git a b',
  '-- ',
];

const CARRIAGE_RETURNS = ['x\r', 'x', 'y', 'y\r', '', '\r', 'z\r\r'];

export interface TextPair {
  old: string;
  new: string;
  vocabulary: readonly string[];
}

/** Two texts, the second mostly an edited copy of the first. */
export function textPair(random: Random, kind: 'plain' | 'tricky' | 'carriage-returns'): TextPair {
  const vocabulary = {
    plain: pick(random, VOCABULARIES),
    tricky: TRICKY,
    'carriage-returns': CARRIAGE_RETURNS,
  }[kind];
  const old = randomText(random, vocabulary);
  const made = random(4) === 0 ? randomText(random, vocabulary) : edited(random, old, vocabulary);
  return { old, new: made, vocabulary };
}

function randomText(random: Random, vocabulary: readonly string[]): string {
  const lines = Array.from({ length: random(pick(random, [4, 12, 40])) }, () => pick(random, vocabulary));
  const text = lines.join('\n');
  return text !== '' && random(5) > 0 ? `${text}\n` : text;
}

function edited(random: Random, text: string, vocabulary: readonly string[]): string {
  if (text.endsWith('\n') && random(8) > 0) return `${edited(random, text.slice(0, -1), vocabulary)}\n`;
  const lines = text.split('\n');
  for (let edits = random(4); edits >= 0; edits--) {
    const added = Array.from({ length: random(3) }, () => pick(random, vocabulary));
    lines.splice(random(lines.length), random(3), ...added);
  }
  return lines.join('\n');
}

export interface PatchCase {
  file: string;
  patch: string;
}

/**
 * A file and a patch for it that may or may not fit: made for a text that the file has drifted from, with line
 * numbers that are off, or with less context on one side.
 */
export function patchCase(random: Random): PatchCase {
  for (;;) {
    const pair = textPair(random, 'plain');
    const context = pick(random, [0, 1, 2, 3, 3, 3]);
    const diff = unifiedDiff(pair.old, pair.new, { oldName: 'a/file', newName: 'b/file', context });
    if (diff === '') continue;
    const file = random(3) === 0 ? pair.old : edited(random, pair.old, pair.vocabulary);
    return { file, patch: random(2) === 0 ? diff : distorted(random, diff) };
  }
}

/** Moves the stated lines of some hunks, and takes lines of context from their beginning or end. */
function distorted(random: Random, diff: string): string {
  const [names, ...hunks] = diff.split(/^(?=@@)/m);
  const moved = hunks.map((hunk) =>
    random(2) === 0 ? hunk : withoutContext(random, movedHunk(random, hunk)),
  );
  return [names, ...moved].join('');
}

function movedHunk(random: Random, hunk: string): string {
  const by = random(9) - 4;
  return hunk.replace(/^@@ -(\d+)(\S*) \+(\d+)/, (_, oldStart, oldRest, newStart) => {
    return `@@ -${Math.max(1, Number(oldStart) + by)}${oldRest} +${Math.max(1, Number(newStart) + by)}`;
  });
}

function withoutContext(random: Random, hunk: string): string {
  const [header, ...lines] = hunk.split('\n');
  const counts = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(header!)!;
  let [oldStart, oldCount, newStart, newCount] = counts.slice(1).map((count) => Number(count ?? 1)) as [
    number,
    number,
    number,
    number,
  ];
  for (let drop = random(4); drop > 0 && lines[0]!.startsWith(' ') && oldCount > 1 && newCount > 1; drop--) {
    lines.shift();
    oldStart++;
    newStart++;
    oldCount--;
    newCount--;
  }
  for (
    let drop = random(4);
    drop > 0 && lines.at(-2)?.startsWith(' ') && oldCount > 1 && newCount > 1;
    drop--
  ) {
    lines.splice(-2, 1);
    oldCount--;
    newCount--;
  }
  return [`@@ -${oldStart},${oldCount} +${newStart},${newCount} @@`, ...lines].join('\n');
}
