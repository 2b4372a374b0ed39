/** Measures how many bytes a value takes as JSON without writing the JSON: values may have many megabytes. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
/** Line ends, tabs and a few others have an escape of two characters; other control characters one of six. */
const SHORT_ESCAPES = new Set(['\b', '\t', '\n', '\f', '\r'].map((control) => control.charCodeAt(0)));
const CONTROL_EXTRA = Array.from({ length: FIRST_PRINTABLE }, (_, code) => (SHORT_ESCAPES.has(code) ? 1 : 5));
/** Half of a surrogate pair takes three bytes as UTF-8 (a replacement character) and six as an escape. */
const HALF_EXTRA = 3;

/** The size of a text as a JSON string, with its quotes. */
export function jsonTextBytes(text: string): number {
  let bytes = 2 + Buffer.byteLength(text);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < FIRST_PRINTABLE) bytes += CONTROL_EXTRA[code]!;
    else if (code === QUOTE || code === BACKSLASH) bytes += 1;
    else if ((code & 0xf800) === 0xd800) {
      if (isPair(code, text.charCodeAt(i + 1))) i++;
      else bytes += HALF_EXTRA;
    }
  }
  return bytes;
}

/** The size of a value that came from JSON or can become JSON. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return jsonTextBytes(value);
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value)).length;
  if (Array.isArray(value)) {
    return (
      value.reduce<number>((sum, item) => sum + jsonBytes(item === undefined ? null : item) + 1, 1) +
      (value.length === 0 ? 1 : 0)
    );
  }
  let bytes = 1;
  let members = 0;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members++;
    bytes += jsonTextBytes(name) + 2 + jsonBytes(member);
  }
  return members === 0 ? 2 : bytes;
}

function isPair(first: number, second: number): boolean {
  return first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
}
