/** The shape of every result: compact JSON as text, and the same object for programs. */
import { jsonBytes } from '../../json/json-size.ts';
import { type ToolResult, text } from '../dialect.ts';
import { countThatFits, MAX_TEXT_BYTES } from '../results/result-size.ts';

/** A multiple of four, so that base64 is truncated between its groups. */
const PIECE_CHARACTERS = 4096;
/** A result holds everything twice: a character takes at most seven bytes in the text, and six in the object. */
const MOST_BYTES_TWICE = 13;

export function jsonResult(value: Record<string, unknown>): ToolResult {
  return { content: [text(JSON.stringify(value))], structuredContent: value };
}

/** The first items, as many as one result can hold twice: in the text and in the object. */
export async function itemsThatFit<T>(items: readonly T[]): Promise<readonly T[]> {
  if (JSON.stringify(items).length * MOST_BYTES_TWICE <= MAX_TEXT_BYTES) return items;
  const shown = await countThatFits(items, (item) => jsonBytes(JSON.stringify(item)) + jsonBytes(item) + 2);
  return shown === items.length ? items : items.slice(0, shown);
}

/** The start of a text, as much as one result can hold twice. */
export async function startThatFits(content: string): Promise<string> {
  if (content.length * MOST_BYTES_TWICE <= MAX_TEXT_BYTES) return content;
  const pieces = Array.from({ length: Math.ceil(content.length / PIECE_CHARACTERS) }, (_, index) =>
    content.slice(index * PIECE_CHARACTERS, (index + 1) * PIECE_CHARACTERS),
  );
  const fitting = await itemsThatFit(pieces);
  if (fitting.length === pieces.length) return content;
  // The end may be half of a character beyond U+FFFF.
  return fitting.join('').replace(/[\ud800-\udbff]$/, '');
}

/** Rounds as listings do, so that all tools report the same time for a file. */
export function milliseconds(ns: bigint): number {
  return Number(ns / 1_000_000_000n) * 1000 + Number(ns % 1_000_000_000n) / 1_000_000;
}

/** The reference has no field for what was skipped, so the result has one only when something was. */
export function skipped(name: string, count: number): Record<string, number> {
  return count === 0 ? {} : { [name]: count };
}
