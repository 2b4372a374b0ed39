/** The one shape of every answer: compact JSON as text, and the same object for programs. */
import { jsonBytes } from '../../json/json-size.ts';
import { type ToolResult, text } from '../dialect.ts';
import { countThatFits, MAX_TEXT_BYTES } from '../result-size.ts';

export function jsonResult(value: Record<string, unknown>): ToolResult {
  return { content: [text(JSON.stringify(value))], structuredContent: value };
}

/** As many of the first items as one answer can hold, where each comes twice: in the text and for programs. */
export function itemsThatFit<T>(items: readonly T[]): readonly T[] {
  // No character takes more than seven bytes in the text and six beside it.
  if (JSON.stringify(items).length * 13 <= MAX_TEXT_BYTES) return items;
  const shown = countThatFits(items, (item) => jsonBytes(JSON.stringify(item)) + jsonBytes(item) + 2);
  return shown === items.length ? items : items.slice(0, shown);
}

/** The last moment that a date can name; some file systems can tell later ones. */
const LATEST_MS = 8.64e15;

export function timestamp(ms: number): string {
  return new Date(Math.max(-LATEST_MS, Math.min(ms, LATEST_MS))).toISOString();
}

/** As listings compute it, so that all tools tell the same time of a file. */
export function milliseconds(ns: bigint): number {
  return Number(ns / 1_000_000_000n) * 1000 + Number(ns % 1_000_000_000n) / 1_000_000;
}

/** The document has no field for what could not be looked at: it is told only when there is some. */
export function skipped(name: string, count: number): Record<string, number> {
  return count === 0 ? {} : { [name]: count };
}
