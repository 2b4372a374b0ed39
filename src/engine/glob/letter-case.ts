/** Makes names comparable without regard to letter case, one character at a time so that no length changes. */

export function foldCase(text: string): string {
  // Whole-string lower-casing is quick, but outside ASCII it looks at neighbours and can add characters.
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  let folded = '';
  for (const char of text) folded += lower(char);
  return folded;
}

/** The upper-case form of one character, or the character itself where that would take several. */
export function upper(char: string): string {
  return oneFor(char, char.toUpperCase());
}

function lower(char: string): string {
  return oneFor(char, char.toLowerCase());
}

function oneFor(char: string, changed: string): string {
  return [...changed].length === 1 ? changed : char;
}
