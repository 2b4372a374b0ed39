/** Adds an entry to a configuration or takes it out, and makes sure that the meaning of everything else stays. */
import type { FormatName, ServerEntry } from '../client.ts';
import { ConfigProblem, type Format } from './format.ts';
import { json } from './json.ts';
import { toml } from './toml.ts';
import { yaml } from './yaml.ts';

const formats: Readonly<Record<FormatName, Format>> = { json, toml, yaml };

/** Where an entry is: in which format, under which keys, with which name. */
export interface EntryPlace {
  format: FormatName;
  keys: readonly string[];
  name: string;
}

type Table = Readonly<Record<string, unknown>>;

/** The entry as plain values. Undefined when there is none. */
export function entryIn(text: string, { format, keys, name }: EntryPlace): unknown {
  return [...keys, name].reduce<unknown>(
    (value, key) => (isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    formats[format].read(text),
  );
}

/** Adds the entry, or replaces one of the same name. */
export function withEntry(text: string, place: EntryPlace, entry: ServerEntry): string {
  const { format, keys, name } = place;
  const free = entryIn(text, place) === undefined ? text : withoutEntry(text, place);
  const proposed = formats[format].add(free, keys, name, entry);
  const expected = changed(formats[format].read(free), keys, name, entry);
  return checked(proposed, place, (value) => sameValue(value, expected));
}

/** Takes the entry out, and the tables around it if they were added with it. */
export function withoutEntry(text: string, place: EntryPlace): string {
  const { format, keys, name } = place;
  const entry = entryIn(text, place) as ServerEntry;
  const before = formats[format].read(text);
  const expected = changed(before, keys, name, undefined);
  const fits = (value: unknown) => sameValue(pruned(value, keys), pruned(expected, keys));
  const proposals = formats[format].remove(text, keys, name);
  const exact = proposals.find((each) => isReadable(each, format) && readds(each, text, place, entry));
  return checked(exact ?? proposals.at(-1) ?? text, place, fits);
}

/** Whether adding the entry to `without` gives `text`, so that `without` is what the text was before. */
function readds(
  without: string,
  text: string,
  { format, keys, name }: EntryPlace,
  entry: ServerEntry,
): boolean {
  try {
    return formats[format].add(without, keys, name, entry) === text;
  } catch (error) {
    if (error instanceof ConfigProblem) return false;
    throw error;
  }
}

function isReadable(text: string, format: FormatName): boolean {
  try {
    formats[format].read(text);
    return true;
  } catch {
    return false;
  }
}

function checked(
  text: string,
  { format, keys, name }: EntryPlace,
  fits: (value: unknown) => boolean,
): string {
  if (isReadable(text, format) && fits(formats[format].read(text))) return text;
  throw new ConfigProblem(
    `${[...keys, name].join('.')} is written in a way that cannot be changed without touching the rest: change it by hand`,
  );
}

/** The same values with another entry, or with none. */
function changed(
  value: unknown,
  keys: readonly string[],
  name: string,
  entry: ServerEntry | undefined,
): unknown {
  const table = isTable(value) ? value : {};
  const [key, ...others] = keys;
  if (key !== undefined) return { ...table, [key]: changed(table[key], others, name, entry) };
  const { [name]: _, ...rest } = table;
  return entry === undefined ? rest : { ...rest, [name]: entry };
}

/** The values without the empty tables around the entry: a file may have them or not. */
function pruned(value: unknown, keys: readonly string[]): unknown {
  const [key, ...others] = keys;
  if (key === undefined || !isTable(value) || !(key in value)) return value ?? {};
  const { [key]: inner, ...rest } = value;
  const left = pruned(inner, others);
  return isTable(left) && Object.keys(left).length === 0 ? rest : { ...rest, [key]: left };
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Compares keys and values only, because the parsers give their objects different prototypes. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (one instanceof Date || other instanceof Date) return String(one) === String(other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, index) => sameValue(each, other[index]));
  if (!isTable(one) || !isTable(other)) return Object.is(one, other) || (one == null && other == null);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameValue(one[name], other[name]))
  );
}
