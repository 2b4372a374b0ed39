/** Separates what an edit changes from what it repeats only to show the place. */

interface Edit {
  oldText: string;
  newText: string;
}

/** The lines that both texts begin with, and those that both end with. */
export function commonLines({ oldText, newText }: Edit): string[] {
  const { old, prefix, suffix } = parts(oldText.split('\n'), newText.split('\n'));
  return [...old.slice(0, prefix), ...old.slice(old.length - suffix)];
}

/** The line that an edit changes, if it changes only one, and how much it has in common with the new one. */
export function onlyChangedLine({ oldText, newText }: Edit) {
  const lines = parts(oldText.split('\n'), newText.split('\n'));
  if (lines.old.length !== lines.put.length || lines.prefix + lines.suffix !== lines.old.length - 1)
    return undefined;
  const old = lines.old[lines.prefix]!;
  const put = lines.put[lines.prefix]!;
  const { prefix, suffix } = parts(old.split(''), put.split(''));
  return { old, put, prefix, suffix };
}

/** The text after somebody else has changed a line of it. */
export function withLineChanged(text: string, line: string): string {
  const changed = line.replace(/\w+/, '$&Since');
  return text
    .split('\n')
    .map((each) => (each === line ? changed : each))
    .join('\n');
}

/** How often a line occurs in a text. */
export function countOfLine(text: string, line: string): number {
  return text.split('\n').filter((each) => each === line).length;
}

/** Which lines of the source an edit changes, counted from 0 and the end exclusive, and what replaces them. */
export function changedLineRange({ source, expected }: { source: string; expected: string }) {
  const linesIn = (text: string): string[] => text.replace(/\n$/, '').split('\n');
  const { old, put, prefix, suffix } = parts(linesIn(source), linesIn(expected));
  const lines = put.slice(prefix, put.length - suffix);
  return { from: prefix, to: old.length - suffix, put: lines.map((line) => `${line}\n`).join('') };
}

function parts(old: readonly string[], put: readonly string[]) {
  const least = Math.min(old.length, put.length);
  let prefix = 0;
  while (prefix < least && old[prefix] === put[prefix]) prefix++;
  let suffix = 0;
  while (suffix < least - prefix && old.at(-1 - suffix) === put.at(-1 - suffix)) suffix++;
  return { old, put, prefix, suffix };
}
