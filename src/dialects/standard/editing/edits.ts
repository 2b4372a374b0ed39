/** What edit_file says: a diff of what it did, or why an edit does not fit and where it would. */
import type {
  EditListResult,
  EditRefusal,
  Fit,
  ListedEdit,
  ListedEditResult,
} from '../../../engine/index.ts';
import { fail } from '../../../engine/index.ts';

export interface EditArgument {
  oldText?: string;
  newText: string;
  lines?: string;
  all?: boolean;
  near?: number;
  regex?: boolean;
  limit?: number;
}

/** Each edit is by text or by lines, never both. */
export function listedEdits(edits: readonly EditArgument[]): ListedEdit[] {
  return edits.map(({ oldText, lines, newText, ...how }, index) => {
    if (oldText !== undefined && lines === undefined) return { oldText, newText, ...how };
    if (lines !== undefined && oldText === undefined) return { lines, newText };
    const message = `edits[${index}] needs oldText or lines${oldText === undefined ? '' : ', not both'}`;
    return fail({ kind: 'bad-arguments', problems: [{ field: `edits[${index}]`, missing: true, message }] });
  });
}

const RULE = '='.repeat(67);

/** A unified diff in a fence of as many backticks as it takes, and what else there is to know of the edits. */
export function doneText(path: string, diff: string, results: readonly ListedEditResult[]): string {
  const hunks = diff
    .slice(diff.indexOf('@@'))
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '')
    .replace(/^@@ .*$/gm, withCounts);
  const whole = `Index: ${path}\n${RULE}\n--- ${path}\toriginal\n+++ ${path}\tmodified\n${hunks}`;
  let fence = '```';
  while (whole.includes(fence)) fence += '`';
  return [`${fence}diff\n${whole}${fence}\n\n`, ...results.flatMap(noteOf)].join('');
}

/** As the official server writes them: a count of one is told too. */
function withCounts(header: string): string {
  return header.replace(/([-+]\d+) /g, '$1,1 ');
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

export function refusalText(refused: Refused, path: string, edits: readonly EditArgument[]): string {
  const { refusal } = refused;
  if (refusal.why === 'no-edits') return 'There are no edits: nothing was changed';
  if (refusal.why === 'no-change')
    return `The edits change nothing: ${path} is already as they would leave it`;
  const { edit } = refused as { edit: number };
  const which = edits.length === 1 ? '' : `Edit ${edit}: `;
  return whyRefused(refusal as EditRefusal, which, path, edits[edit - 1]!);
}

function whyRefused(refusal: EditRefusal, which: string, path: string, edit: EditArgument): string {
  switch (refusal.why) {
    case 'not-found':
      return notFound(refusal, edit);
    case 'already-applied':
      return `${noMatch(edit)}\nnewText stands at line ${refusal.line} already: the edit seems to be done.`;
    case 'ambiguous': {
      const more = refusal.count > refusal.lines.length ? ' …' : '';
      return `${which}oldText stands ${refusal.count} times in ${path}, at lines ${refusal.lines.join(', ')}${more}\nAdd lines around it, or say near: LINE or all: true. Nothing was changed.`;
    }
    case 'empty-old-text':
      return `${which}oldText is empty, which fits an empty file only\nlines: "0+" inserts at the beginning.`;
    case 'bad-anchors':
      return `${which}lines must be anchors such as "12#k3-15#9q", "12#k3", "12#k3+" or "0+", not ${JSON.stringify(refusal.written)}\nread_text_file shows them with anchors: true.`;
    case 'reversed-range':
      return `${which}${refusal.written} ends before it begins`;
    case 'stale-anchors': {
      const now = refusal.shown.map(({ line, hash, text }) => `${line}#${hash}| ${text}`);
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
