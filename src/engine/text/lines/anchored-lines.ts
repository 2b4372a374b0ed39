/** Finds the lines that anchors name, also where they have moved since their author read the file. */
import { lineAt, lineCount, linesBetween, type TextLines } from '../diff/line-ids.ts';
import type { AnchoredLine, EditRefusal } from '../edit/edit-refusal.ts';
import { type Anchor, type AnchoredLines, lineHash, parseAnchors } from './anchors.ts';
import { type MovedLines, movedLines } from './moved-lines.ts';

/** Lines from 0, the end exclusive; a gap has none. */
export interface FoundLines {
  from: number;
  to: number;
  isGap: boolean;
  /** Whether the lines are elsewhere than the anchors say. */
  hasMoved: boolean;
}

/** A text in which anchors are looked up, and the text that their author read, where that is known. */
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
  if ('after' in named && named.after === undefined) return { from: 0, to: 0, isGap: true, hasMoved: false };
  const range = rangeOf(named);
  if (range.to.line < range.from.line) return { refusal: { why: 'reversed-range', written } };
  const found = currentLines(text, range);
  if (found === undefined) return { refusal: staleAnchors(text, range, written) };
  const hasMoved = found.from !== range.from.line - 1;
  if ('after' in named) return { from: found.to, to: found.to, isGap: true, hasMoved };
  return { ...found, isGap: false, hasMoved };
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
 * Where both the text as it is and the text that was read have lines like these at these numbers, but not the same
 * ones, nobody knows which of them are meant: then there is no answer.
 */
function currentLines({ lines, remembered }: AnchoredText, range: AnchorRange) {
  const here = { from: range.from.line - 1, to: range.to.line };
  const holds = holdsIn(lines, range);
  if (remembered === undefined || !holdsIn(remembered.lines, range)) return holds ? here : undefined;
  const moved = remembered.moved();
  const from = holds ? here.from : moved.certain(here.from);
  if (from === undefined) return undefined;
  // What lies between must be what was read, too: an edit would take away what somebody else wrote there.
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

/** A line without its line end. */
function contentAt(lines: TextLines, line: number): string {
  return lineAt(lines, line).replace(/\r?\n$/, '');
}

const SHOWN_AROUND = 2;
const MOST_SHOWN = 20;

/** The lines around those that were named, as they are now. */
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
