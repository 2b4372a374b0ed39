/** Spoils an edit in the ways in which language models change what they copy, or by changes of others to the file. */
import { commonLines, countOfLine, onlyChangedLine, withLineChanged } from './changed-part.ts';

/** An edit of a source, and what the result must be if the edit is applied at all. */
export interface SpoiledEdit {
  source: string;
  oldText: string;
  newText: string;
  expected: string;
}

export type Random = (below: number) => number;
/** Undefined for an edit that cannot be spoiled in this way. */
export type Spoil = (edit: SpoiledEdit, random: Random) => SpoiledEdit | undefined;

/** After these, the edit still says what it means. */
export const TOLERABLE = {
  'line ends of the file': (edit) => {
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    return { ...edit, source: crlf(edit.source), expected: crlf(edit.expected) };
  },
  'line ends of the edit': (edit) => inBoth(edit, (line) => `${line}\r`),
  'a final newline left out': (edit) => ({
    ...edit,
    oldText: edit.oldText.replace(/\n$/, ''),
    newText: edit.newText.replace(/\n$/, ''),
  }),
  'trailing blanks': (edit, random) => {
    const old = new Set(edit.oldText.split('\n'));
    const blanks = [' ', '  ', '\t', '    '][random(4)]!;
    const every = 1 + random(3);
    return inBoth(edit, (line) => (old.has(line) && line.length % every === 0 ? line + blanks : line));
  },
  'more indentation': (edit, random) => {
    const more = indentOf(edit).includes('\t') ? '\t' : ['  ', '    ', '        '][random(3)]!;
    return inBoth(edit, (line) => (line === '' ? line : more + line));
  },
  'less indentation': (edit, random) => {
    const common = commonIndent(edit);
    const less = common.slice(0, random(2) === 0 ? common.length : Math.ceil(common.length / 2));
    return inBoth(edit, (line) => (line.startsWith(less) ? line.slice(less.length) : line));
  },
  'blanks for tabs': (edit, random) => {
    const blanks = ['  ', '    ', '        '][random(3)]!;
    return inBoth(edit, (line) => withIndent(line, (indent) => indent.replaceAll('\t', blanks)));
  },
  'tabs for blanks': (edit) => {
    const unit = unitOf(edit.source);
    return inBoth(edit, (line) => withIndent(line, (indent) => indent.replaceAll(' '.repeat(unit), '\t')));
  },
  'curly quotes': (edit) => typed(edit, curly),
  'plain quotes and dashes': (edit) =>
    typed(edit, (line) => line.replace(/[“”]/g, '"').replace(/[‘’]/g, "'").replace(/[–—]/g, '-')),
  'long dashes': (edit) => typed(edit, (line) => line.replace(/-/g, '–')),
  'no-break spaces': (edit) => typed(edit, (line) => line.replace(/(?<=\S) (?=\S)/g, '\u00a0')),
  'plain spaces': (edit) => typed(edit, (line) => line.replaceAll('\u00a0', ' ')),
  'a part of a line in curly quotes': (edit, random) => {
    const part = partOfLine(edit, random);
    const spoiled = part && typed({ ...edit, ...part }, curly);
    return spoiled?.oldText === part?.oldText ? undefined : spoiled;
  },
  'new lines above and below': (edit, random) => {
    const line = edit.source.split('\n').find((text) => /^\S.*\w/.test(text)) ?? 'other';
    const above = `${line} ${random(1000)}\n`.repeat(1 + random(20));
    const below = `${line} below\n`;
    return { ...edit, source: above + edit.source + below, expected: above + edit.expected + below };
  },
} as const satisfies Record<string, Spoil>;

/** After these, it is unclear what the edit means: it must be refused. */
export const INTOLERABLE = {
  'a stale line': (edit, random) => {
    const lines = edit.oldText.split('\n');
    const words = lines.flatMap((line, index) => (/\w{3}/.test(line) ? [index] : []));
    if (words.length === 0) return undefined;
    const at = words[random(words.length)]!;
    const stale = lines[at]!.replace(/\w{3}(?!.*\w{3})/, 'zzqy');
    return inBoth(edit, (line) => (line === lines[at] ? stale : line));
  },
  'lines left out': (edit, random) => {
    const lines = edit.oldText.split('\n');
    const from = 1 + random(Math.max(1, lines.length - 2));
    const elision = ['...', '// ...', '# ... existing code ...', '    ...'][random(4)]!;
    return { ...edit, oldText: [...lines.slice(0, from), elision, ...lines.slice(from + 1)].join('\n') };
  },
  /** Somebody has changed a line next to those that the edit changes: it must stay as it is now. */
  'context that has changed since': (edit, random) => {
    const lines = commonLines(edit).filter((line) => /\w/.test(line) && countOfLine(edit.source, line) === 1);
    if (lines.length === 0) return undefined;
    const line = lines[random(lines.length)]!;
    return {
      ...edit,
      source: withLineChanged(edit.source, line),
      expected: withLineChanged(edit.expected, line),
    };
  },
  /** Only the words that change, which occur elsewhere, too. */
  'too little of it': (edit) => {
    const changed = onlyChangedLine(edit);
    if (!changed) return undefined;
    const { old, put, prefix, suffix } = changed;
    const from = /\w*$/.exec(old.slice(0, prefix))!.index;
    const behind = suffix - /^\w*/.exec(old.slice(old.length - suffix))![0].length;
    const oldText = old.slice(from, old.length - behind);
    const newText = put.slice(from, put.length - behind);
    return oldText.trim() === '' || edit.source.split(oldText).length < 3
      ? undefined
      : { ...edit, oldText, newText };
  },
} as const satisfies Record<string, Spoil>;

/** A part of the changed line, cut on both sides, that is long enough to occur only once in the source. */
function partOfLine(edit: SpoiledEdit, random: Random): { oldText: string; newText: string } | undefined {
  const changed = onlyChangedLine(edit);
  if (!changed) return undefined;
  const { old, put, prefix, suffix } = changed;
  const indent = /^\s*/.exec(old)![0].length;
  if (prefix <= indent || suffix === 0) return undefined;
  const from = indent + random(prefix - indent) + 1;
  const behind = Math.min(suffix, 1 + random(suffix));
  const oldText = old.slice(from, old.length - behind);
  const newText = put.slice(from, put.length - behind);
  if (oldText.trim() === '' || edit.source.split(oldText).length !== 2) return undefined;
  return { oldText, newText };
}

function curly(line: string): string {
  return line.replace(/"([^"]*)"/g, '“$1”').replaceAll("'", '’');
}

function inBoth(edit: SpoiledEdit, change: (line: string) => string): SpoiledEdit {
  const all = (text: string): string =>
    text
      .split('\n')
      .map((line, index, { length }) => (index === length - 1 && line === '' ? line : change(line)))
      .join('\n');
  return { ...edit, oldText: all(edit.oldText), newText: all(edit.newText) };
}

/** If the change does not show in the old text, the new text stays as it is: it is meant literally. */
function typed(edit: SpoiledEdit, change: (line: string) => string): SpoiledEdit {
  const spoiled = inBoth(edit, change);
  return spoiled.oldText === edit.oldText ? edit : spoiled;
}

function withIndent(line: string, change: (indent: string) => string): string {
  return line.replace(/^[ \t]+/, change);
}

function indentOf({ source }: SpoiledEdit): string {
  return /^[ \t]+/m.exec(source)?.[0] ?? '';
}

/** The indentation that all lines of both texts share. */
function commonIndent({ oldText, newText }: SpoiledEdit): string {
  const lines = `${oldText}\n${newText}`.split('\n').filter((line) => line.trim() !== '');
  let common = /^[ \t]*/.exec(lines[0]!)![0];
  for (const line of lines) while (!line.startsWith(common)) common = common.slice(1);
  return common;
}

/** How many blanks one level of indentation takes; a single one belongs to the lines of a comment. */
function unitOf(source: string): number {
  return Math.min(...[...source.matchAll(/^( {2,})\S/gm)].map((found) => found[1]!.length), 8);
}
