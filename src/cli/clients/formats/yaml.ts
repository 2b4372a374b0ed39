/** YAML: an entry is a block after the others, or the first one of a mapping in braces. */
import { type Document, isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import type { ServerEntry, Value } from '../client.ts';
import {
  ConfigProblem,
  type Format,
  lineEndOf,
  lineStart,
  nested,
  nextLine,
  withLinesBehind,
  withoutLines,
} from './format.ts';

export const yaml: Format = {
  read: (text) => parsed(text).toJS() ?? undefined,
  add,
  remove,
};

interface Ranged {
  range?: readonly [number, number, number] | null;
}

function parsed(text: string): Document.Parsed {
  const document = parseDocument(text, { logLevel: 'error' });
  const [first] = document.errors;
  if (first) {
    const { line, col } = first.linePos?.[0] ?? { line: 1, col: 1 };
    const [reason] = first.message.split(/ at line \d+/);
    throw new ConfigProblem(`it is not YAML (${reason})`, line, col);
  }
  return document as Document.Parsed;
}

function add(text: string, keys: readonly string[], name: string, entry: ServerEntry): string {
  const path = [...keys, name];
  const { contents } = parsed(text);
  if (contents === null || (isScalar(contents) && contents.source === ''))
    return withLinesBehind(text, text.length, blockOf(nested(path, entry), '', lineEndOf(text)));
  let map = mapAt(text, contents, 'the file');
  for (let depth = 0; ; depth++) {
    const value = nested(path.slice(depth), entry);
    const pair = pairOf(map, path[depth]!);
    if (!pair) return withPair(text, map, value);
    if (isEmptyValue(pair)) return withFirstPair(text, pair, nested(path.slice(depth + 1), entry));
    map = mapAt(text, pair.value, path[depth]!);
  }
}

function mapAt(text: string, node: unknown, what: string): YAMLMap {
  if (isMap(node)) return node;
  throw ConfigProblem.at(text, (node as Ranged | null)?.range?.[0] ?? 0, `${what} is not a mapping`);
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name);
}

/** Whether nothing follows the key, as in `extensions:`. */
function isEmptyValue({ value }: Pair): boolean {
  return value === null || (isScalar(value) && value.value === null && value.source === '');
}

function withPair(text: string, map: YAMLMap, value: Value): string {
  if (map.flow) {
    const at = map.range![0] + 1;
    const inside = JSON.stringify(value).slice(1, -1);
    return `${text.slice(0, at)}${inside}${map.items.length > 0 ? ', ' : ''}${text.slice(at)}`;
  }
  const indent = columnOf(text, map.items[0]!);
  return withLinesBehind(text, lineBehind(text, map.items.at(-1)!), blockOf(value, indent, lineEndOf(text)));
}

function withFirstPair(text: string, pair: Pair, value: Value): string {
  const indent = `${columnOf(text, pair)}  `;
  return withLinesBehind(text, lineBehind(text, pair), blockOf(value, indent, lineEndOf(text)));
}

/** The white space before a key. Its neighbours must have the same. */
function columnOf(text: string, pair: Pair): string {
  const at = (pair.key as Ranged).range![0];
  return text.slice(lineStart(text, at), at).replace(/[^ ]/g, ' ');
}

/** The beginning of the line that follows a key and everything that belongs to it. */
function lineBehind(text: string, pair: Pair): number {
  const end = lastEnd(pair);
  return end > 0 && text[end - 1] === '\n' ? end : nextLine(text, end);
}

/** The end of the last word of a node. The range of a block also covers the comments after it, so look inside. */
function lastEnd({ key, value }: Pair): number {
  if (isMap(value) && !value.flow && value.items.length > 0) return lastEnd(value.items.at(-1)!);
  const list = value as (Ranged & { items?: unknown[]; flow?: boolean }) | null;
  const last = list?.items && !list.flow ? list.items.at(-1) : undefined;
  if (last !== undefined) return lastEnd({ key, value: last } as Pair);
  return list?.range?.[1] ?? (key as Ranged).range![1];
}

function blockOf(value: Value, indent: string, lineEnd: string): string {
  return linesOf(value)
    .map((line) => indent + line)
    .join(lineEnd);
}

function linesOf(value: Value): string[] {
  if (Array.isArray(value)) return value.map((each) => `- ${JSON.stringify(each)}`);
  return Object.entries(value as ServerEntry).flatMap(([key, inner]) => {
    const isBlock = typeof inner === 'object' && Object.keys(inner).length > 0;
    if (!isBlock) return [`${wordText(key)}: ${wordText(inner)}`];
    return [`${wordText(key)}:`, ...linesOf(inner).map((line) => `  ${line}`)];
  });
}

/** A plain word, or anything else as JSON, which is valid YAML. */
function wordText(value: Value): string {
  const isPlain =
    typeof value === 'string' &&
    /^[A-Za-z][\w-]*$/.test(value) &&
    !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value);
  return isPlain ? (value as string) : JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

function remove(text: string, keys: readonly string[], name: string): string[] {
  let map = parsed(text).contents as unknown as YAMLMap;
  const steps: { map: YAMLMap; pair: Pair }[] = [];
  for (const key of [...keys, name]) {
    const pair = isMap(map) ? pairOf(map, key) : undefined;
    if (!pair) return [];
    steps.push({ map, pair });
    map = pair.value as YAMLMap;
  }
  // The mappings around the entry may have been added with it.
  return steps
    .filter((_, depth) => steps.slice(depth + 1).every((step) => step.map.items.length === 1))
    .map((step) => withoutPair(text, step.map, step.pair));
}

function withoutPair(text: string, map: YAMLMap, pair: Pair): string {
  const from = (pair.key as Ranged).range![0];
  if (!map.flow) return withoutLines(text, lineStart(text, from), lineBehind(text, pair));
  const at = map.items.indexOf(pair);
  const next = map.items[at + 1];
  const before = map.items[at - 1];
  if (next) return text.slice(0, from) + text.slice((next.key as Ranged).range![0]);
  return text.slice(0, before ? lastEnd(before) : from) + text.slice(lastEnd(pair));
}
