/** Finds what a regex edit would change. Runs in a worker that can be cut off, so it takes and gives plain data. */
import {
  expandReplacement,
  groupsOf,
  parseReplacement,
  type ReplacementStyle,
  substitute,
} from './replacement.ts';
import type { Splice } from './splice.ts';

export interface RegexEdit {
  text: string;
  source: string;
  flags: string;
  template: string;
  style: ReplacementStyle;
  /** 0 is unlimited. */
  limit: number;
}

export type RegexOutcome =
  | { splices: Splice[] }
  | { badRegex: string }
  | { badReference: string; groups: number };

export function findRegexSplices(edit: RegexEdit): RegexOutcome {
  let regex: RegExp;
  try {
    regex = new RegExp(edit.source, `g${edit.flags}`);
  } catch (error) {
    return { badRegex: (error as Error).message };
  }
  const groups = groupsOf(edit.source, edit.flags);
  const parts = edit.style === 'sed' ? parseReplacement(edit.template, groups) : [];
  if ('badReference' in parts) return { badReference: parts.badReference, groups: groups.count };
  const splices: Splice[] = [];
  for (let match = regex.exec(edit.text); match !== null; match = regex.exec(edit.text)) {
    const end = match.index + match[0].length;
    const text = edit.style === 'sed' ? expandReplacement(parts, match) : substitute(edit.template, match);
    splices.push({ start: match.index, end, text });
    if (edit.limit > 0 && splices.length === edit.limit) break;
    if (match[0] === '') regex.lastIndex = nextPosition(edit.text, end, /[uv]/.test(edit.flags));
  }
  return { splices: withoutPhantomLine(edit.text, splices) };
}

function nextPosition(text: string, at: number, unicode: boolean): number {
  return at + (unicode && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

/**
 * After a final newline there is no further line, although `^` and `$` match there. An empty match at that
 * spot goes, unless it is the only one and so must be what was meant.
 */
function withoutPhantomLine(text: string, splices: Splice[]): Splice[] {
  const last = splices.at(-1);
  if (splices.length < 2 || last?.start !== text.length || !text.endsWith('\n')) return splices;
  return splices.slice(0, -1);
}
