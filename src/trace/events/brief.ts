/**
 * Summarizes a call's arguments: paths, patterns and command lines as they were sent, and only the length of everything
 * else. The summary never holds what a call writes into files or wants to replace there.
 */
import { truncate } from '../../display/truncate.ts';
import { isObject } from '../../json/is-object.ts';
import type { Brief, BriefValue } from './event.ts';

import { announcesSecret, HIDDEN, withoutSecrets } from './without-secrets.ts';

const MOST_ARGUMENTS = 20;
const MOST_ITEMS = 10;
const LONGEST_NAME = 60;
const LONGEST_TEXT = 300;

/** Arguments that hold paths. The trace names paths anyway, so nothing in them is hidden. */
const PLACES: ReadonlySet<string> = new Set([
  ...['path', 'paths', 'source', 'destination', 'file', 'directory', 'dir', 'from', 'to', 'uri'],
  ...['cwd', 'workingDirectory', 'entry', 'before'],
]);
/** Arguments that hold other short texts, in which secrets are hidden. */
const TEXTS: ReadonlySet<string> = new Set([
  ...['command', 'args', 'pattern', 'regex', 'glob', 'globs', 'excludeGlobs', 'excludePatterns'],
  ...['nameContains', 'line_range', 'encoding', 'sortBy', 'output'],
]);

export function briefOf(args: unknown): Brief | undefined {
  if (!isObject(args)) return undefined;
  const brief: [string, BriefValue][] = [];
  // A call may have millions of arguments: for…in makes no list of their names.
  for (const name in args) {
    if (brief.length >= MOST_ARGUMENTS) break;
    const value = shortValue(name, args[name]);
    if (value !== undefined) brief.push([truncate(name, LONGEST_NAME), value]);
  }
  return brief.length === 0 ? undefined : Object.fromEntries(brief);
}

function shortValue(name: string, value: unknown): BriefValue | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const isShown = PLACES.has(name) || TEXTS.has(name);
  if (typeof value === 'string') return isShown ? shown(name, value) : { characters: value.length };
  if (!Array.isArray(value)) return undefined;
  const first = value.slice(0, MOST_ITEMS);
  if (!isShown || !first.every((item) => typeof item === 'string')) return { items: value.length };
  const items = first.map((item, at) =>
    name === 'args' && at > 0 && announcesSecret(first[at - 1]!) ? HIDDEN : shown(name, item),
  );
  return value.length > MOST_ITEMS ? [...items, '…'] : items;
}

function shown(name: string, text: string): string {
  return truncate(PLACES.has(name) ? text : withoutSecrets(text), LONGEST_TEXT);
}
