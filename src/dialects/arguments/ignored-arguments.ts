/** Names the arguments that a tool does not take, so that no call silently drops one. */
import { truncate } from '../../display/truncate.ts';
import { fail, ITEMS_PER_CHECK, inTurns, nearNames, type Steps, Yielder } from '../../engine/index.ts';
import { isObject } from '../../json/is-object.ts';
import type { Tool } from '../dialect.ts';
import { quoted } from '../results/hidden-characters.ts';
import { arePlain } from './plain-arguments.ts';
import type { Schema } from './schema.ts';

const MOST_NAMED = 10;
/** A call with more unknown names is refused: every later step would visit them all, and no client means so many. */
const MOST_EXCESS = 5000;
const LONGEST_NAME = 60;

/** The names in the arguments that the schemas of their objects do not know. */
interface Excess {
  count: number;
  /** The first of them, as the note shows them. */
  shown: string[];
  /** The names that each schema knows, keyed by the object in words. */
  takes: Map<string, readonly string[]>;
}

interface Where {
  /** The object as a dotted path: `edits[0]`; empty for the arguments as a whole. */
  at: string;
  /** The object in words: `read_file`, `each of edits`. */
  owner: string;
}

/** The arguments that a call ignores. */
export interface Ignored {
  note: string;
  /** There are so many that the call must be refused. */
  isTooMuch: boolean;
}

/** Undefined when the call uses all of its arguments. */
export function ignoredIn(
  tool: Tool,
  sent: unknown,
  calledAs: string,
): Ignored | undefined | Promise<Ignored | undefined> {
  if (arePlain(tool.input, sent)) return undefined;
  return isObject(sent) ? inTurns(noting(tool, sent, calledAs), new Yielder(undefined)) : undefined;
}

export function refuseIgnored(calledAs: string): never {
  const message = `more than ${MOST_EXCESS} fields are unknown: send only those that ${calledAs} takes`;
  fail({ kind: 'bad-arguments', problems: [{ field: '', missing: false, message }] });
}

function* noting(tool: Tool, sent: Record<string, unknown>, calledAs: string): Steps<Ignored | undefined> {
  // Reading the names has taken time already.
  yield;
  const excess: Excess = { count: 0, shown: [], takes: new Map() };
  const where = { at: '', owner: calledAs };
  yield* findExcess(tool.input, sent, where, excess, tool.aliases);
  const { count, shown: ignored } = excess;
  if (count === 0) return undefined;
  if (count > MOST_NAMED) ignored.push(`… ${count - MOST_NAMED} more`);
  const known = [...excess.takes].map(
    ([owner, names]) => `${owner} takes ${names.join(', ') || 'no arguments'}`,
  );
  const note = `[ignored: ${ignored.join(', ')}; ${known.join('; ')}]`;
  return { note, isTooMuch: count > MOST_EXCESS };
}

/** ` (did you mean limit?)` when the tool takes a similar name. */
export function didYouMean(name: string, names: readonly string[]): string {
  const [near] = name.length > LONGEST_NAME ? [] : nearNames(name, names);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/**
 * Adds the unknown names to `found`, and stops once there are too many. Aliases count as known: the documentation names
 * them, and says that the real name wins.
 */
function* findExcess(
  schema: Schema,
  value: unknown,
  where: Where,
  found: Excess,
  aliases: Tool['aliases'] = {},
): Steps<void> {
  if (!('type' in schema) || found.count > MOST_EXCESS) return;
  if (schema.type === 'array' && Array.isArray(value)) {
    if (!('type' in schema.items) || !['object', 'array'].includes(schema.items.type)) return;
    const owner = `each of ${where.at}`;
    for (const [i, item] of value.entries()) {
      if (i % ITEMS_PER_CHECK === 0) yield;
      yield* findExcess(schema.items, item, { at: `${where.at}[${i}]`, owner }, found);
    }
  }
  if (schema.type !== 'object' || !isObject(value)) return;
  const { properties } = schema;
  const takes = Object.keys(properties);
  for (const [i, name] of Object.keys(value).entries()) {
    if (i % ITEMS_PER_CHECK === ITEMS_PER_CHECK - 1) yield;
    if (Object.hasOwn(properties, name) || Object.hasOwn(aliases, name)) continue;
    if (found.shown.length < MOST_NAMED) found.shown.push(shown(name, where.at, takes));
    found.takes.set(where.owner, takes);
    if (++found.count > MOST_EXCESS) return;
  }
  for (const [name, inner] of Object.entries(properties)) {
    const at = where.at === '' ? name : `${where.at}.${name}`;
    yield* findExcess(inner, value[name], { at, owner: name }, found);
  }
}

/** The name comes from the caller, so it is truncated when long, and quoted unless it looks like a name. */
function shown(name: string, at: string, takes: readonly string[]): string {
  const short = truncate(name, LONGEST_NAME);
  const readable = /^[\w$.-]+\u2026?$/.test(short) ? short : quoted(short);
  return `${at === '' ? '' : `${at}.`}${readable}${didYouMean(name, takes)}`;
}
