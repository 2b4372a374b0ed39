/** What counts as text, byte-order marks, and lines. */
import { isUtf8 } from 'node:buffer';
import { withoutReturn } from './line-endings.ts';

export const BOM = '\uFEFF';

/** A text file as its byte-order mark and the rest: together they are the whole file. */
export interface TextContent {
  /** Without the byte-order mark. */
  text: string;
  bom: boolean;
}

export type Decoded = TextContent | { notText: 'not-utf8' | 'nul' };

/** For editing, any valid UTF-8 is text, even with NUL characters in it. */
export function decodeForEdit(bytes: Uint8Array): Decoded {
  if (!isUtf8(bytes)) return { notText: 'not-utf8' };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  return textContent(text);
}

/** Separates a text from the byte-order mark that it may begin with. */
export function textContent(text: string): TextContent {
  const bom = text.startsWith(BOM);
  return { text: bom ? text.slice(1) : text, bom };
}

export function encode(content: TextContent): Buffer {
  return Buffer.from(content.bom ? BOM + content.text : content.text, 'utf8');
}

/** Why these bytes are not shown as text; undefined if they are text. */
export function whyBinary(bytes: Uint8Array): 'not-utf8' | 'nul' | undefined {
  if (bytes.includes(0)) return 'nul';
  return isUtf8(bytes) ? undefined : 'not-utf8';
}

/** How many lines are counted or split off between two yields. */
const LINES_PER_YIELD = 16 * 1024;

/** The lines without their line ends. A newline ends a line: `a\nb\n` has 2 lines, an empty text has none. */
export function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map(withoutReturn);
}

/** Like `splitLines`, but yields regularly, so that a long text does not block other work. */
export function* splittingLines(text: string): Generator<void, string[]> {
  const lines: string[] = [];
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\n', from);
    const end = found < 0 ? text.length : found;
    const hasReturn = end > from && text.charCodeAt(end - 1) === 13;
    lines.push(text.slice(from, hasReturn ? end - 1 : end));
    from = end + 1;
    if (lines.length % LINES_PER_YIELD === 0) yield;
  }
  return lines;
}

export function countLines(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Like `countLines`, but yields regularly, so that a long text does not block other work. */
export function* countingLines(text: string): Generator<void, number> {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (++count % LINES_PER_YIELD === 0) yield;
  }
  return count;
}
