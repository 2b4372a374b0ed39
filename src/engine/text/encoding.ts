/** Bytes and text: what counts as text, byte-order marks, and which line ending a text uses. */
import { isUtf8 } from 'node:buffer';

export const BOM = '\uFEFF';

/** A text file taken apart so that it can be put together again with nothing lost. */
export interface TextContent {
  /** Without the byte-order mark. */
  text: string;
  bom: boolean;
}

export type Decoded = TextContent | { notText: 'not-utf8' | 'nul' };

/** For editing: any valid UTF-8 is text, also with NUL characters in it. */
export function decodeForEdit(bytes: Uint8Array): Decoded {
  if (!isUtf8(bytes)) return { notText: 'not-utf8' };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  return textContent(text);
}

/** Takes the byte-order mark off a text that may begin with one. */
export function textContent(text: string): TextContent {
  const bom = text.startsWith(BOM);
  return { text: bom ? text.slice(1) : text, bom };
}

export function encode(content: TextContent): Buffer {
  return Buffer.from(content.bom ? BOM + content.text : content.text, 'utf8');
}

/** Why these bytes are not shown as text, or undefined when they are text. */
export function whyBinary(bytes: Uint8Array): 'not-utf8' | 'nul' | undefined {
  if (bytes.includes(0)) return 'nul';
  return isUtf8(bytes) ? undefined : 'not-utf8';
}

export type LineEnding = '\n' | '\r\n';

/** The ending that most lines have; undefined for a text without any line end. */
export function lineEndingOf(text: string): LineEnding | undefined {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) crlf++;
    else lf++;
  }
  if (crlf === 0 && lf === 0) return undefined;
  return crlf > lf ? '\r\n' : '\n';
}

/** Text that is put into a file takes the file's line ending; where the file has none it stays as it is. */
export function withLineEnding(text: string, ending: LineEnding | undefined): string {
  if (ending === undefined) return text;
  return text.replace(/\r?\n/g, ending);
}

/** Lines that are counted or split off between two yields. */
const COUNTED = 16 * 1024;

/** Lines without their ends. A line is ended by its newline: `a\nb\n` has 2 lines, an empty text 0. */
export function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** The same, and it yields again and again: a long text is split while others work. */
export function* splittingLines(text: string): Generator<void, string[]> {
  const lines: string[] = [];
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\n', from);
    const end = found < 0 ? text.length : found;
    const hasReturn = end > from && text.charCodeAt(end - 1) === 13;
    lines.push(text.slice(from, hasReturn ? end - 1 : end));
    from = end + 1;
    if (lines.length % COUNTED === 0) yield;
  }
  return lines;
}

export function countLines(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** The same, and it yields again and again: a long text is counted while others work. */
export function* countingLines(text: string): Generator<void, number> {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (++count % COUNTED === 0) yield;
  }
  return count;
}

/** A text without the end of its last line. An empty last line is nothing but its end: without that it would be gone. */
export function withoutLastEnding(text: string): string {
  const end = /\r?\n$/.exec(text)?.index;
  if (end === undefined || end === 0 || text[end - 1] === '\n') return text;
  return text.slice(0, end);
}
