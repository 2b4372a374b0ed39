/** Finds what a regex edit would change. Takes and returns plain data: it runs in a worker that can be terminated. */
import { regexReason } from '../../regex-reason.ts';
import { hasLoneSurrogate } from '../literal/occurrences.ts';
import type { Splice } from '../splice.ts';
import {
  expandReplacement,
  groupsOf,
  parseReplacement,
  type ReplacementStyle,
  substitute,
} from './replacement.ts';

export interface RegexEdit {
  text: string;
  source: string;
  flags: string;
  template: string;
  style: ReplacementStyle;
  /** The most matches to replace; 0 for all. */
  limit: number;
  /** The text is a range of lines without the last line end, so a newline at its end starts another line. */
  isRange?: boolean;
}

export type RegexOutcome =
  | { splices: Splice[] }
  | { badRegex: string }
  | { badReference: string; groups: number };

export function findRegexSplices(edit: RegexEdit): RegexOutcome {
  try {
    return findWhole(edit);
  } catch (error) {
    // JavaScript's regex engine has only a limited stack for backtracking.
    if (error instanceof RangeError) return { badRegex: 'it needs too much memory on this text' };
    throw error;
  }
}

/**
 * Without the flag `u`, `.` and classes match half of a character beyond U+FFFF. If that would tear a character apart,
 * the search is repeated with `u`.
 */
function findWhole(edit: RegexEdit): RegexOutcome {
  const outcome = findWith(edit, edit.flags);
  if (!tearsCharacters(edit.text, outcome) || /[uv]/.test(edit.flags)) return outcome;
  const whole = findWith(edit, `${edit.flags}u`);
  if ('splices' in whole && !tearsCharacters(edit.text, whole)) return whole;
  return { badRegex: 'it would change half of a character beyond U+FFFF' };
}

function findWith(edit: RegexEdit, flags: string): RegexOutcome {
  let regex: RegExp;
  try {
    regex = new RegExp(edit.source, `g${flags}`);
  } catch (error) {
    return { badRegex: regexReason(error) };
  }
  const groups = groupsOf(edit.source, flags);
  const parts = edit.style === 'sed' ? parseReplacement(edit.template, groups) : [];
  if ('badReference' in parts) return { badReference: parts.badReference, groups: groups.count };
  const splices: Splice[] = [];
  for (let match = regex.exec(edit.text); match !== null; match = regex.exec(edit.text)) {
    const end = match.index + match[0].length;
    const text = edit.style === 'sed' ? expandReplacement(parts, match) : substitute(edit.template, match);
    splices.push({ start: match.index, end, text });
    if (edit.limit > 0 && splices.length === edit.limit) break;
    if (match[0] === '') regex.lastIndex = end + ((edit.text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
  return { splices: edit.isRange ? splices : withoutPhantomLine(edit.text, splices) };
}

function tearsCharacters(text: string, outcome: RegexOutcome): boolean {
  if (!('splices' in outcome)) return false;
  return outcome.splices.some(
    ({ start, end, text: replacement }) =>
      isInsideCharacter(text, start) || isInsideCharacter(text, end) || hasLoneSurrogate(replacement),
  );
}

function isInsideCharacter(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/**
 * After a final newline there is no further line, although `^` and `$` match there. Drops an empty match at that
 * position, unless it is the only match and so must be what was meant.
 */
function withoutPhantomLine(text: string, splices: Splice[]): Splice[] {
  const last = splices.at(-1);
  if (splices.length < 2 || last?.start !== text.length || !text.endsWith('\n')) return splices;
  return splices.slice(0, -1);
}
