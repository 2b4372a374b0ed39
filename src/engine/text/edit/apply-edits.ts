/** Applies edits to a text one after the other, each to the result of the one before. */
import { fail } from '../../failures.ts';
import { limits } from '../../limits.ts';
import { lineEndingOf, withLineEnding } from '../line-endings.ts';
import { type LineRange, offsetsOfLines } from './line-range.ts';
import { type EditContext, findLiteralSplices, type LiteralEdit } from './literal/literal-edit.ts';
import { findRegexSplices } from './regex/regex-edit.ts';
import type { ReplacementStyle } from './regex/replacement.ts';
import { applySplices, mapSplices, type Splices } from './splice.ts';
import { newlineView } from './text-view.ts';

export type TextEdit = (
  | ({ kind: 'literal' } & LiteralEdit)
  | {
      kind: 'regex';
      pattern: string;
      /** Without `g`, which is implied: `limit` says how many matches are replaced. */
      flags: string;
      replace: string;
      style: ReplacementStyle;
      limit: number;
      /** Fails if nothing matches. */
      mustMatch: boolean;
    }
) & {
  /** Searches only these lines, as a text of their own. */
  lines?: LineRange | undefined;
};

type RegexTextEdit = TextEdit & { kind: 'regex' };

export interface EditOutcome {
  text: string;
  /** How many places each edit changed. */
  replacements: number[];
}

/** The ways to write a carriage return in a pattern. */
const CARRIAGE_RETURN = /\r|\\(?:r|x0d|u000d|u\{0*d\}|cm)/i;

/** Calls `onRegex` before each search with a pattern, which may take very long. */
export function applyEdits(
  text: string,
  edits: readonly TextEdit[],
  path: string,
  onRegex: () => void,
): EditOutcome {
  const replacements: number[] = [];
  let current = text;
  for (const [index, edit] of edits.entries()) {
    const context = { path, edit: index + 1 };
    const splices = edit.lines
      ? splicesWithin(edit.lines, current, edit, context, onRegex)
      : splicesOf(current, edit, context, onRegex);
    replacements.push(splices.length);
    requireRoom(current, splices, path);
    current = applySplices(current, splices);
  }
  return { text: current, replacements };
}

/** Fails if the new text would be too long, before it is built: JavaScript strings have a maximum length. */
export function requireRoom(text: { length: number }, splices: Splices, path: string): void {
  let size = text.length;
  for (const { start, end, text: replacement } of splices) size += replacement.length - (end - start);
  const limit = limits.wholeFileBytes;
  if (size > limit) fail({ kind: 'too-large', path, size, limit, action: 'write' });
}

function splicesOf(text: string, edit: TextEdit, context: EditContext, onRegex: () => void): Splices {
  if (edit.kind === 'literal') return findLiteralSplices(text, edit, context);
  return regexSplices(text, edit, context, onRegex);
}

function splicesWithin(
  lines: LineRange,
  text: string,
  edit: TextEdit,
  context: EditContext,
  onRegex: () => void,
): Splices {
  const { start, end } = offsetsOfLines(text, lines, context.path);
  const part = text.slice(start, end);
  const found = splicesOf(part, edit, context, onRegex);
  // A part without line ends does not show which ending to use; the whole text does.
  const ending = lineEndingOf(part) === undefined ? lineEndingOf(text) : undefined;
  return mapSplices(found, (splice) => ({
    start: splice.start + start,
    end: splice.end + start,
    text: withLineEnding(splice.text, ending),
  }));
}

/** Finds the changes of a pattern, which sees every line end as `\n`. */
export function regexSplices(
  text: string,
  edit: RegexTextEdit,
  context: EditContext,
  onRegex: () => void,
): Splices {
  const view = newlineView(text);
  onRegex();
  const seen = find(view.text, edit, context);
  if (seen.length > 0) {
    const ending = lineEndingOf(text);
    return mapSplices(seen, ({ start, end, text: replacement }) => ({
      start: view.toReal(start),
      end: view.toReal(end),
      text: withLineEnding(replacement, ending),
    }));
  }
  // Only a pattern that names `\r` is also tried on the text with its real line ends: there `^` and `$` match
  // between `\r` and `\n`, too.
  if (view.text !== text && CARRIAGE_RETURN.test(edit.pattern)) {
    onRegex();
    const raw = find(text, edit, context);
    if (raw.length > 0) return raw;
  }
  if (edit.mustMatch) fail({ kind: 'no-match', ...context, needle: edit.pattern, mode: 'regex', near: [] });
  return [];
}

function find(text: string, edit: RegexTextEdit, context: EditContext): Splices {
  const { pattern: source, flags, replace: template, style, limit } = edit;
  const isRange = edit.lines !== undefined;
  const outcome = findRegexSplices({ text, source, flags, template, style, limit, isRange });
  if ('splices' in outcome) return outcome.splices;
  if ('badRegex' in outcome) return fail({ kind: 'bad-regex', pattern: source, reason: outcome.badRegex });
  const { badReference: reference, groups } = outcome;
  return fail({ kind: 'bad-group-reference', ...context, reference, groups });
}
