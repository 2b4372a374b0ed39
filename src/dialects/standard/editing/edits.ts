/** What edit_file says: a diff of what it did, or why an edit does not fit and where it would. */
import { truncate } from '../../../display/truncate.ts';
import { truncateMiddle, truncateToBytes } from '../../../display/truncate-bytes.ts';
import type {
  EditListResult,
  EditRefusal,
  Fit,
  ListedEdit,
  ListedEditResult,
} from '../../../engine/index.ts';
import { fail, type Steps } from '../../../engine/index.ts';
import { pageOf } from '../../results/token-budget.ts';
import { type RestOfDiff, shownDiff } from './shown-diff.ts';

export interface EditArgument {
  oldText?: string;
  newText: string;
  lines?: string;
  all?: boolean;
  near?: number;
  regex?: boolean;
  limit?: number;
}

/** Checks that each edit is by text or by lines, never both. */
export function listedEdits(edits: readonly EditArgument[]): ListedEdit[] {
  return edits.map(({ oldText, lines, newText, ...how }, index) => {
    if (oldText !== undefined && lines === undefined) return { oldText, newText, ...how };
    if (lines !== undefined && oldText === undefined) return { lines, newText };
    const message = `edits[${index}] needs oldText or lines${oldText === undefined ? '' : ', not both'}`;
    return fail({ kind: 'bad-arguments', problems: [{ field: `edits[${index}]`, missing: true, message }] });
  });
}

/** Something that is no anchor may be long; only this much of it is shown. */
const LONGEST_ANCHORS = 200;
const RULE = '='.repeat(67);

/** A unified diff in a fence of as many backticks as it takes, and notes on edits that did not fit exactly. */
export function* doneText(
  path: string,
  diff: string,
  results: readonly ListedEditResult[],
  rest: RestOfDiff,
): Steps<string> {
  const head = `Index: ${path}\n${RULE}\n--- ${path}\toriginal\n+++ ${path}\tmodified\n`;
  const notes = shortNotes(results.flatMap(noteOf), rest.bytes >> 2);
  const shown = yield* shownDiff(diff, rest.bytes - Buffer.byteLength(head + notes) - FENCES, rest.next);
  let fence = '```';
  while (head.includes(fence) || shown.hunks.includes(fence)) fence += '`';
  return `${fence}diff\n${head}${shown.hunks}${fence}\n\n${shown.note}${notes}`;
}

/** Room for the fences around a diff, unless they are very long. */
const FENCES = 40;

function shortNotes(notes: readonly string[], bytes: number): string {
  const page = pageOf(notes, 0, bytes);
  const left = notes.length - page.end;
  return [...page.lines, ...(left > 0 ? [`[and ${left} more edits]\n`] : [])].join('');
}

const ASIDE: Readonly<Record<Exclude<Fit, 'exact'>, string>> = {
  'line-ends': 'line ends aside',
  'trailing-blanks': 'trailing blanks aside',
  indentation: 'with its indentation shifted, and that of newText',
  tabs: 'with tabs for blanks in the indentation, or blanks for tabs',
  typography: 'typographic quotes, dashes and blanks aside',
};

function noteOf(result: ListedEditResult, index: number): string[] {
  if (result.by === 'lines') {
    return result.hasMoved ? [`[edit ${index + 1}: the lines had moved, to line ${result.line}]\n`] : [];
  }
  if (result.fit === 'exact') return [];
  return [`[edit ${index + 1}: oldText fitted at line ${result.line}, ${ASIDE[result.fit]}]\n`];
}

type Refused = Extract<EditListResult, { refusal: unknown }>;

/** `bytes` is the size of the whole answer. Most of it is for showing what the file has. */
export function refusalText(
  refused: Refused,
  path: string,
  edits: readonly EditArgument[],
  bytes: number,
): string {
  const { refusal } = refused;
  if (refusal.why === 'no-edits') return 'There are no edits: nothing was changed';
  if (refusal.why === 'no-change')
    return `The edits change nothing: ${path} is already as they would leave it`;
  const { edit } = refused as { edit: number };
  const which = edits.length === 1 ? '' : `Edit ${edit}: `;
  return whyRefused(refusal as EditRefusal, which, path, shortened(edits[edit - 1]!, bytes >> 2), bytes);
}

function shortened(edit: EditArgument, bytes: number): EditArgument {
  return edit.oldText === undefined ? edit : { ...edit, oldText: truncateMiddle(edit.oldText, bytes) };
}

function whyRefused(
  refusal: EditRefusal,
  which: string,
  path: string,
  edit: EditArgument,
  bytes: number,
): string {
  switch (refusal.why) {
    case 'not-found':
      return notFound(refusal, edit);
    case 'already-applied':
      return `${noMatch(edit)}\nnewText is at line ${refusal.line} already: the edit seems to be done.`;
    case 'ambiguous': {
      const more = refusal.count > refusal.lines.length ? ' …' : '';
      return `${which}oldText occurs ${refusal.count} times in ${path}, at lines ${refusal.lines.join(', ')}${more}\nAdd lines around it, or say near: LINE or all: true. Nothing was changed.`;
    }
    case 'empty-old-text':
      return `${which}oldText is empty, which fits an empty file only\nlines: "0+" inserts at the beginning.`;
    case 'bad-anchors':
      return `${which}lines must be anchors such as "12#k3-15#9q", "12#k3", "12#k3+" or "0+", not ${truncate(JSON.stringify(refusal.written), LONGEST_ANCHORS)}\nread_text_file shows them with anchors: true.`;
    case 'reversed-range':
      return `${which}${refusal.written} ends before it begins`;
    case 'stale-anchors': {
      const most = Math.floor(bytes / (refusal.shown.length + 1));
      const now = refusal.shown.map(({ line, hash, text }) =>
        truncateToBytes(`${line}#${hash}| ${text}`, most),
      );
      return [
        `${which}${path} has changed: ${refusal.written} does not name its lines any more. Now:`,
        ...now,
      ].join('\n');
    }
    case 'overlap':
      return `${which}it changes the same lines as edit ${refusal.other}`;
  }
}

function noMatch({ oldText = '' }: EditArgument): string {
  return `Could not find exact match for edit:\n${oldText}`;
}

function notFound(refusal: Extract<EditRefusal, { why: 'not-found' }>, edit: EditArgument): string {
  const lines = [noMatch(edit)];
  if (refusal.hasElision) lines.push('"..." does not stand for other text: oldText must have every line.');
  const { closest } = refusal;
  if (closest) {
    lines.push(`The closest place is at line ${closest.line} (- oldText, + the file):`, ...closest.diff);
    if (closest.isCut) lines.push('…');
  }
  return lines.join('\n');
}
