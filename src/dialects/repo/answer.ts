/** The one shape of every answer: compact JSON as text, and the same object for programs. */
import { type Answer, text } from '../dialect.ts';

export function jsonAnswer(value: Record<string, unknown>): Answer {
  return { content: [text(JSON.stringify(value))], structuredContent: value };
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
