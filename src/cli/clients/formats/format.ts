/** What each format can do with a text. `edit.ts` checks the results. */
import type { ServerEntry, Value } from '../client.ts';

export interface Format {
  /** The text as plain values. Undefined when it holds nothing. Throws a ConfigProblem. */
  read(text: string): unknown;
  /** Adds an entry that does not exist yet. Throws a ConfigProblem if the text has no place for it. */
  add(text: string, keys: readonly string[], name: string, entry: ServerEntry): string;
  /** The texts that may have been there before the entry, the likeliest first. */
  remove(text: string, keys: readonly string[], name: string): string[];
}

/** Why a configuration cannot be read or changed, and where in it. */
export class ConfigProblem extends Error {
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, line?: number, column?: number) {
    super(message);
    this.line = line;
    this.column = column;
  }

  static at(text: string, offset: number, message: string): ConfigProblem {
    const before = text.slice(0, offset).split('\n');
    return new ConfigProblem(message, before.length, before.at(-1)!.length + 1);
  }
}

/** The entry inside new tables of these names. */
export function nested(names: readonly string[], entry: ServerEntry): Value {
  const [name, ...inner] = names;
  return name === undefined ? entry : { [name]: nested(inner, entry) };
}

/** Replaces one piece of a text. */
export interface TextChange {
  from: number;
  to: number;
  text: string;
}

/** The text with these changes. Those at the same place come in the order of the list. */
export function applied(text: string, changes: readonly TextChange[]): string {
  const sorted = [...changes].sort((a, b) => a.from - b.from);
  return sorted.reduceRight(
    (done, { from, to, text: piece }) => done.slice(0, from) + piece + done.slice(to),
    text,
  );
}

/** The first line end of the text. */
export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** Where the line after that of an offset begins. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The white space at the beginning of the line that contains an offset. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))![0];
}

/** Inserts whole lines at `at`. If the text has no line end at its end, it has none afterwards, either. */
export function withLinesBehind(text: string, at: number, lines: string): string {
  const end = lineEndOf(text);
  if (at < text.length || at === 0 || text.endsWith('\n'))
    return text.slice(0, at) + lines + end + text.slice(at);
  return text + end + lines;
}

/** The text without some of its whole lines: undoes `withLinesBehind`. */
export function withoutLines(text: string, from: number, to: number): string {
  const rest = text.slice(0, from) + text.slice(to);
  return to === text.length && !text.endsWith('\n') ? rest.replace(/\r?\n$/, '') : rest;
}
