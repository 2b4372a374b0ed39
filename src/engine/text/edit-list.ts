/** Applies a list of edits, by text and by anchors, to one text: all of them or none. */
import { requireRoom } from './edit/apply-edits.ts';
import type { EditRefusal } from './edit/edit-refusal.ts';
import { EditedText } from './edit/edited-text.ts';
import { applySplices, type Splice, type Splices } from './edit/splice.ts';
import type { Fit } from './edit/tolerant/fitting-places.ts';
import { applyTextEdit, type TextReplacement } from './edit/tolerant/tolerant.ts';
import { countLines } from './encoding.ts';
import { type AnchoredText, anchoredText, findAnchoredLines } from './lines/anchored-lines.ts';
import { lineRangeSplice } from './lines/line-range-splice.ts';

export interface LineReplacement {
  /** Anchors: `12#k3-15#9q`, `12#k3`, `12#k3+`, `0+`. They refer to the text before the first edit. */
  lines: string;
  newText: string;
}

export type ListedEdit = TextReplacement | LineReplacement;

/** What one edit did. Lines count from 1. */
export type ListedEditResult =
  /** `line` is that of the first place, in the text as the edits before this one left it. */
  | { by: 'text'; line: number; replacements: number; fit: Fit }
  /** The lines that it took, as they were before the first edit; `hasMoved` where the anchors named others. */
  | { by: 'lines'; line: number; removed: number; added: number; hasMoved: boolean };

export type EditListOutcome =
  /** `splices` are those of each edit, in the positions of the text that it found. */
  | { text: string; results: readonly ListedEditResult[]; splices: readonly Splices[] }
  /** `edit` counts from 1. */
  | { refusal: EditRefusal; edit: number }
  /** There are no edits, or all of them together change nothing. */
  | { refusal: { why: 'no-edits' | 'no-change' } };

/**
 * `remembered` is the text that the author of the edits last read, where that is known. A refusal for stale anchors
 * shows lines of the text as it is now: from then on, that text is the one that was read.
 */
export function applyEditList(
  text: string,
  edits: readonly ListedEdit[],
  remembered: string | undefined,
  path: string,
  onRegex: () => void,
): EditListOutcome {
  if (edits.length === 0) return { refusal: { why: 'no-edits' } };
  const original = anchoredText(text, remembered);
  const results: ListedEditResult[] = [];
  const done: Splices[] = [];
  const current = new EditedText(text);
  for (const [index, edit] of edits.entries()) {
    const made =
      'lines' in edit ? byLines(original, current, edit, done, path) : byText(current, edit, path, onRegex);
    if ('refusal' in made) return { refusal: made.refusal, edit: index + 1 };
    if (made.text !== undefined) current.become(made.text, made.splices);
    done.push(made.splices);
    results.push(made.result);
  }
  if (current.text === text) return { refusal: { why: 'no-change' } };
  return { text: current.text, results, splices: done };
}

/** Without `text`, the splices are made already. */
type AppliedEdit = { text?: string; splices: Splices; result: ListedEditResult } | { refusal: EditRefusal };

function byText(current: EditedText, edit: TextReplacement, path: string, onRegex: () => void): AppliedEdit {
  const only = onlyPlace(current, edit);
  if (only !== undefined) {
    const splices = [{ start: only, end: only + edit.oldText.length, text: edit.newText }];
    requireRoom(current, splices, path);
    const line = current.lineAt(only);
    current.replace(splices[0]!);
    return { splices, result: { by: 'text', line, replacements: 1, fit: 'exact' } };
  }
  const found = applyTextEdit(current, edit, path, onRegex);
  if ('refusal' in found) return found;
  const { text, splices, fit } = found;
  const [first] = splices;
  const line = current.lineAt(first!.start);
  return { text, splices, result: { by: 'text', line, replacements: splices.length, fit } };
}

/** Most edits name a text that occurs exactly once: in a long file, these need no other look at all of it. */
function onlyPlace(current: EditedText, edit: TextReplacement): number | undefined {
  if (edit.all || edit.regex || edit.newText.includes('\r') || current.hasReturns) return undefined;
  return current.onlyPlaceOf(edit.oldText);
}

function byLines(
  original: AnchoredText,
  current: EditedText,
  edit: LineReplacement,
  done: readonly Splices[],
  path: string,
): AppliedEdit {
  const found = findAnchoredLines(original, edit.lines);
  if ('refusal' in found) return found;
  const splice = lineRangeSplice(original.lines, found, edit.newText);
  const now = afterEdits(splice, done);
  if ('other' in now) return { refusal: { why: 'overlap', other: now.other } };
  const { from, to, hasMoved } = found;
  const line = from === to ? from : from + 1;
  const result = {
    by: 'lines',
    line,
    removed: to - from,
    added: countLines(edit.newText),
    hasMoved,
  } as const;
  requireRoom(current, [now], path);
  if (current.hasReturns || now.text.includes('\r')) {
    return { text: applySplices(current.text, [now]), splices: [now], result };
  }
  current.replace(now);
  return { splices: [now], result };
}

/** A splice of the original text, in the positions of the text that the edits so far have made of it. */
function afterEdits(splice: Splice, done: readonly Splices[]): Splice | { other: number } {
  let { start, end } = splice;
  for (const [index, splices] of done.entries()) {
    let moved = 0;
    for (const each of splices) {
      if (each.start >= end && each.end > start) break;
      if (each.end > start) return { other: index + 1 };
      moved += each.text.length - (each.end - each.start);
    }
    start += moved;
    end += moved;
  }
  return { start, end, text: splice.text };
}
