/** The edit that search_and_replace makes, and how it words the result. */
import type { LineRange, TextEdit } from '../../engine/index.ts';
import { refuse } from './one-or-many.ts';

interface ReplaceArguments {
  path: string;
  search: string;
  replace: string;
  use_regex: boolean;
  ignore_case: boolean;
  start_line?: number;
  end_line?: number;
}

/** Replaces every occurrence. It is no failure if there is none. */
export function replacementEdit(args: ReplaceArguments): TextEdit {
  const { search, replace, use_regex, ignore_case } = args;
  if (search === '') refuse('search', 'search is empty');
  const everywhere = { replace, limit: 0, mustMatch: false, lines: rangeOf(args) } as const;
  return use_regex
    ? { kind: 'regex', pattern: search, flags: ignore_case ? 'im' : 'm', style: 'ecmascript', ...everywhere }
    : { kind: 'literal', find: search, ignoreCase: ignore_case, ...everywhere };
}

/** `fileLines`: the end of a range that names none. */
export function replacementText(args: ReplaceArguments, count: number, fileLines: number): string {
  const { path, use_regex, ignore_case, start_line = 1, end_line = fileLines } = args;
  const suffixes = [
    use_regex ? ' using regex pattern' : '',
    hasRange(args) ? ` (lines ${start_line}-${end_line})` : '',
    ignore_case ? ' (case-insensitive)' : '',
  ];
  return `Successfully replaced ${count} occurrence(s) in ${path}${suffixes.join('')}`;
}

function hasRange({ start_line, end_line }: ReplaceArguments): boolean {
  return start_line !== undefined || end_line !== undefined;
}

function rangeOf(args: ReplaceArguments): LineRange | undefined {
  const { start_line: from = 1, end_line: to = Number.MAX_SAFE_INTEGER } = args;
  if (from > to) refuse('start_line', `start_line ${from} is after end_line ${to}`);
  return hasRange(args) ? { from, to } : undefined;
}
