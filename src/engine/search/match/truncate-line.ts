/** Truncates a long line around its match. */

const ELLIPSIS = '…';

/** At most `length` characters of the text, with the match in the middle, and `…` where text is left out. */
export function truncateAround(text: string, at: number, matched: number, length: number): string {
  if (text.length <= length) return text;
  const lead = Math.max(0, Math.floor((length - matched) / 2));
  const start = Math.max(0, Math.min(at - lead, text.length - length));
  const end = start + length;
  const from = splitsPair(text, start) ? start + 1 : start;
  const to = splitsPair(text, end) ? end - 1 : end;
  return `${start > 0 ? ELLIPSIS : ''}${copied(text.slice(from, to))}${end < text.length ? ELLIPSIS : ''}`;
}

/** Copies a slice: V8 would keep the whole line, perhaps megabytes, in memory for as long as the slice. */
function copied(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}

function splitsPair(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
}
