/** TOML: an entry is a table of its own, after everything else. */
import { parse, TomlError } from 'smol-toml';
import type { ServerEntry, Value } from '../client.ts';
import { ConfigProblem, type Format, lineEndOf, withLinesBehind, withoutLines } from './format.ts';

export const toml: Format = {
  read: (text) => (text.trim() === '' ? undefined : parsed(text)),
  add,
  remove: (text, keys, name) => [withoutEntry(text, [...keys, name])],
};

function parsed(text: string): Record<string, unknown> {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [, reason = ''] = /^Invalid TOML document: (.*)$/m.exec(error.message) ?? [];
    throw new ConfigProblem(`it is not TOML (${reason})`, error.line, error.column);
  }
}

function add(text: string, keys: readonly string[], name: string, entry: ServerEntry): string {
  const inner = keys.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    toml.read(text),
  );
  if (inner !== undefined && (typeof inner !== 'object' || Array.isArray(inner)))
    throw new ConfigProblem(`${keys.join('.')} is not a table`);
  const lineEnd = lineEndOf(text);
  const lines = [
    `[${[...keys, name].map(keyText).join('.')}]`,
    ...Object.entries(entry).map(([key, value]) => `${keyText(key)} = ${valueText(value)}`),
  ];
  if (text !== '') lines.unshift('');
  return withLinesBehind(text, text.length, lines.join(lineEnd));
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key);
}

function valueText(value: Value): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${valueText(inner)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/** The escapes of JSON are valid in TOML, too, but TOML also wants DEL escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f');
}

/** A line, or several if a value continues. */
interface Statement {
  kind: 'blank' | 'comment' | 'table' | 'pair';
  from: number;
  /** The offset after its line end. */
  to: number;
  /** For a table or a pair: all keys from the top. */
  path: readonly string[];
}

/** Removes every statement of the entry, and the blank line that `add` puts before it. */
function withoutEntry(text: string, path: readonly string[]): string {
  const all = statements(text);
  const isOurs = (statement: Statement | undefined) =>
    statement !== undefined && path.every((key, depth) => statement.path[depth] === key);
  const cuts: { from: number; to: number }[] = [];
  for (const [at, statement] of all.entries()) {
    if (!isOurs(statement)) continue;
    const before = all[at - 1];
    const from = statement.kind === 'table' && before?.kind === 'blank' ? before.from : statement.from;
    const last = cuts.at(-1);
    if (last?.to === from) last.to = statement.to;
    else cuts.push({ from, to: statement.to });
  }
  return cuts.reduceRight((rest, { from, to }) => withoutLines(rest, from, to), text);
}

function statements(text: string): Statement[] {
  const found: Statement[] = [];
  let table: readonly string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = statementEnd(text, from);
    const source = text.slice(from, to).trim();
    if (source === '') found.push({ kind: 'blank', from, to, path: [] });
    else if (source.startsWith('#')) found.push({ kind: 'comment', from, to, path: [] });
    else if (source.startsWith('[')) {
      table = keysOfOnly(parsed(source));
      found.push({ kind: 'table', from, to, path: table });
    } else found.push({ kind: 'pair', from, to, path: [...table, ...keysOfOnly(parsed(source))] });
    from = to;
  }
  return found;
}

/** The keys that lead to the only table or pair in a parsed statement. */
function keysOfOnly(value: unknown): string[] {
  if (Array.isArray(value)) return keysOfOnly(value[0]);
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  const [key, ...others] = Object.keys(value);
  if (key === undefined || others.length > 0) return [];
  return [key, ...keysOfOnly((value as Record<string, unknown>)[key])];
}

const STRING = /"""(?:\\[\s\S]|[^\\])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y;

/** The offset after the line end of a statement. Line ends inside strings and brackets do not count. */
function statementEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"' || character === "'") {
      STRING.lastIndex = at;
      at += (STRING.exec(text)?.[0].length ?? 1) - 1;
    } else if (character === '#') {
      const end = text.indexOf('\n', at);
      at = (end < 0 ? text.length : end) - 1;
    } else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    else if (character === '\n' && depth <= 0) return at + 1;
  }
  return text.length;
}
