/** Edits by anchors, and the ways in which they go wrong: the model slips, or others change the file meanwhile. */
import { changedLineRange, countOfLine, withLineChanged } from './changed-part.ts';
import type { Random, SpoiledEdit } from './spoil.ts';

/** The label of each line in the output of a read, such as `12#k3`. Index 0 is line 1. */
export type Labels = readonly string[];

/** An edit by anchors of a file that has been read. */
export interface AnchoredEdit {
  /** The file when the edit arrives; when it was read, it was the source. */
  now: string;
  lines: string;
  newText: string;
  /** What the result must be if the edit is applied at all. */
  expected: string;
}

/** Undefined for an edit that cannot be spoiled in this way. */
export type AnchorSpoil = (edit: SpoiledEdit, labels: Labels, random: Random) => AnchoredEdit | undefined;

export const TOLERABLE_IN_ANCHORS: Record<string, AnchorSpoil> = {
  'as it is': anchored,
  'new lines above': (edit, labels, random) => {
    const made = anchored(edit, labels);
    const above = `somebody was here, ${random(1000)}\n`.repeat(1 + random(20));
    return made && { ...made, now: above + made.now, expected: above + made.expected };
  },
  'a line beside it that has changed since': (edit, labels) => {
    const made = anchored(edit, labels);
    const { from, to } = changedLineRange(edit);
    const beside = edit.source.split('\n')[to];
    if (!made || from === to || beside === undefined || !isOwn(edit.source, beside)) return undefined;
    const now = (text: string): string => withLineChanged(text, beside);
    return { ...made, now: now(made.now), expected: now(made.expected) };
  },
};

export const INTOLERABLE_IN_ANCHORS: Record<string, AnchorSpoil> = {
  'wrong line numbers': (edit, labels, random) => {
    const made = anchored(edit, labels);
    const by = pickOf([-3, -2, -1, 1, 2, 3, 10], random);
    const lines = made?.lines.replace(/\d+(?=#)/g, (line) => String(Math.max(1, Number(line) + by)));
    return made && lines && isStale(lines, labels) ? { ...made, lines } : undefined;
  },
  'a mistyped hash': (edit, labels) => {
    const made = anchored(edit, labels);
    const lines = made?.lines.replace(/#(.)/, (_, first) => `#${first === 'z' ? 'y' : 'z'}`);
    return made && lines && isStale(lines, labels) ? { ...made, lines } : undefined;
  },
  /** The edit would overwrite somebody else's change. */
  'a line in it that has changed since': (edit, labels, random) => {
    const made = anchored(edit, labels);
    const { from, to } = changedLineRange(edit);
    const lines = edit.source.split('\n').slice(from, to);
    const own = lines.filter((line) => isOwn(edit.source, line));
    if (!made || own.length === 0) return undefined;
    return { ...made, now: withLineChanged(made.now, pickOf(own, random)) };
  },
};

/** The edit as its author would write it: only the lines that change. */
function anchored(edit: SpoiledEdit, labels: Labels): AnchoredEdit | undefined {
  const { from, to, put } = changedLineRange(edit);
  const lines = from === to ? `${from === 0 ? '0' : labels[from - 1]}+` : `${labels[from]}-${labels[to - 1]}`;
  return { now: edit.source, lines, newText: put, expected: edit.expected };
}

/** Whether an anchor is wrong: one that happens to name another line correctly cannot be recognized as wrong. */
function isStale(lines: string, labels: Labels): boolean {
  return lines.split('-').some((label) => !labels.includes(label.replace('+', '')));
}

/** Whether a line has words, and occurs once. */
function isOwn(source: string, line: string): boolean {
  return /\w/.test(line) && countOfLine(source, line) === 1;
}

function pickOf<T>(from: readonly T[], random: Random): T {
  return from[random(from.length)]!;
}
