/** Shortens long lines for messages. */

const LONGEST_SHOWN = 300;

/** Cuts a long line around the first character in which it differs from the other. */
export function excerpt(text: string, other: string): string {
  if (text.length <= LONGEST_SHOWN) return text;
  let differs = 0;
  while (differs < text.length && text[differs] === other[differs]) differs++;
  const from = Math.max(0, Math.min(differs - LONGEST_SHOWN / 2, text.length - LONGEST_SHOWN));
  const to = from + LONGEST_SHOWN;
  return (from > 0 ? '…' : '') + text.slice(from, to) + (to < text.length ? '…' : '');
}
