/** Finds the lines that anchors name, even if they have moved since the author of the edit read the file. */
import { contentAt, lineCount, linesBetween, type TextLines } from '../diff/text-lines.ts';
import type { AnchoredLine, EditRefusal } from '../edit/edit-refusal.ts';
import { type Anchor, type AnchoredLines, lineHash, parseAnchors } from './anchors.ts';
import { type MovedLines, movedLines } from './moved-lines.ts';

/** Lines counted from 0, the end exclusive; the gap after a line is an empty range. */
export interface FoundLines {
  from: number;
  to: number;
  /** Whether the lines are no longer where the anchors say. */
  hasMoved: boolean;
}

/** A text in which anchors are looked up, and the text that the author of the edit read, if that is known. */
export interface AnchoredText {
  lines: TextLines;
  remembered?: { lines: TextLines; moved: () => MovedLines } | undefined;
}

export function anchoredText(text: string, remembered: string | undefined): AnchoredText {
  const lines = linesBetween(text, 0, text.length);
  if (remembered === undefined || remembered === text) return { lines };
  let moved: MovedLines | undefined;
  return {
    lines,
    remembered: {
      lines: linesBetween(remembered, 0, remembered.length),
      moved: () => {
        moved ??= movedLines(remembered, text);
        return moved;
      },
    },
  };
}

export function findAnchoredLines(
  text: AnchoredText,
  written: string,
): FoundLines | { refusal: EditRefusal } {
  const named = parseAnchors(written);
  if (named === undefined) return { refusal: { why: 'bad-anchors', written } };
  if ('after' in named && named.after === undefined) return { from: 0, to: 0, hasMoved: false };
  const range = rangeOf(named);
  if (range.to.line < range.from.line) return { refusal: { why: 'reversed-range', written } };
  const found = currentLines(text, range);
  if (found === undefined) return { refusal: staleAnchors(text, range, written) };
  const hasMoved = found.from !== range.from.line - 1;
  if ('after' in named) return { from: found.to, to: found.to, hasMoved };
  return { ...found, hasMoved };
}

interface AnchorRange {
  from: Anchor;
  to: Anchor;
}

function rangeOf(named: AnchoredLines): AnchorRange {
  if ('from' in named) return named;
  return { from: named.after!, to: named.after! };
}

/**
 * Undefined if it is not certain which lines are meant: the anchors may match both the current text and the text that
 * was read, but other lines in each.
 */
function currentLines({ lines, remembered }: AnchoredText, range: AnchorRange) {
  const here = { from: range.from.line - 1, to: range.to.line };
  const holds = holdsIn(lines, range);
  if (remembered === undefined || !holdsIn(remembered.lines, range)) return holds ? here : undefined;
  const moved = remembered.moved();
  const from = holds ? here.from : moved.certain(here.from);
  if (from === undefined) return undefined;
  // The lines in between must be those that were read, too: an edit would remove what somebody else wrote there.
  const lineNow = holds ? moved.likely : moved.certain;
  for (let line = here.from; line < here.to; line++) {
    if (lineNow(line) !== from + (line - here.from)) return undefined;
  }
  return { from, to: from + (here.to - here.from) };
}

function holdsIn(lines: TextLines, { from, to }: AnchorRange): boolean {
  return [from, to].every(
    ({ line, hash }) =>
      line >= 1 && line <= lineCount(lines) && lineHash(contentAt(lines, line - 1)) === hash,
  );
}

const SHOWN_AROUND = 2;
const MOST_SHOWN = 20;

/** A refusal that shows the lines around the named ones as they are now. */
function staleAnchors({ lines }: AnchoredText, { from, to }: AnchorRange, written: string): EditRefusal {
  const count = lineCount(lines);
  const first = Math.max(0, Math.min(from.line - 1 - SHOWN_AROUND, count - 1 - 2 * SHOWN_AROUND));
  const end = Math.min(count, to.line + SHOWN_AROUND, first + MOST_SHOWN);
  const shown: AnchoredLine[] = [];
  for (let line = first; line < end; line++) {
    const text = contentAt(lines, line);
    shown.push({ line: line + 1, hash: lineHash(text), text });
  }
  return { why: 'stale-anchors', written, shown, lines: count };
}
