/** Which line ending a text uses, and texts with another one or none. */

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

/** Gives inserted text the line ending of the file; if the file has none, the text stays as it is. */
export function withLineEnding(text: string, ending: LineEnding | undefined): string {
  if (ending === undefined) return text;
  return text.replace(/\r?\n/g, ending);
}

/** Removes the last line end, unless the last line is empty: without its line end that line would be gone. */
export function withoutLastEnding(text: string): string {
  const end = /\r?\n$/.exec(text)?.index;
  if (end === undefined || end === 0 || text[end - 1] === '\n') return text;
  return text.slice(0, end);
}

/** A line without its newline still ends with a carriage return if its line ending was `\r\n`. */
export function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
