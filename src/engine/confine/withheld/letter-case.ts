/** Folds letter case so that names can be compared without it, one character at a time so that no length changes. */

export function foldCase(text: string): string {
  // Lower-casing a whole string is quick, but outside ASCII it depends on adjacent characters and can add some.
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  let folded = '';
  for (const char of text) folded += lower(char);
  return folded;
}

/** The upper-case form of one character, or the character itself when its upper-case form has several characters. */
export function upper(char: string): string {
  return oneFor(char, char.toUpperCase());
}

function lower(char: string): string {
  return oneFor(char, char.toLowerCase());
}

function oneFor(char: string, changed: string): string {
  return [...changed].length === 1 ? changed : char;
}
