/** The names of files in the headers of a unified diff. */

/** The names of a file in a diff, before and after the change. */
export interface NamePair {
  old: string;
  new: string;
}

export const DEV_NULL = '/dev/null';

/** The name in a `---` or `+++` line. A tab and a time may follow it; git also adds a tab after a name with blanks. */
export function headerName(line: string): string {
  const written = line.slice(4);
  if (written.startsWith('"')) return quotedName(written).name;
  const [name, time] = written.split('\t', 2);
  return time === undefined ? name!.trim() : name!;
}

/** The name in a `rename` line. Trailing blanks belong to it if the `diff --git` line has them, too. */
export function renamedName(written: string, gitLine: string): string {
  const raw = written.replace(/\r$/, '');
  const isWhole = gitLine.replace(/\r$/, '').endsWith(`/${raw}`) || gitLine.includes(`/${raw} `);
  return wholeName(isWhole ? raw : raw.trimEnd());
}

/** A whole name, which git quotes when it has unusual characters. */
function wholeName(written: string): string {
  return written.startsWith('"') ? quotedName(written).name : written;
}

const ESCAPED: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/** Decodes a name in quotes: bytes that are not ASCII are written as three octal digits. */
function quotedName(written: string): { name: string; rest: string } {
  const bytes: Buffer[] = [];
  let at = 1;
  while (at < written.length && written[at] !== '"') {
    const escaped = /^\\(?:([0-3][0-7]{2})|([abtnvfr"\\]))/.exec(written.slice(at, at + 4));
    if (escaped === null) {
      const character = String.fromCodePoint(written.codePointAt(at)!);
      bytes.push(Buffer.from(character));
      at += character.length;
      continue;
    }
    bytes.push(Buffer.of(escaped[1] === undefined ? ESCAPED[escaped[2]!]! : Number.parseInt(escaped[1], 8)));
    at += escaped[0].length;
  }
  return { name: Buffer.concat(bytes).toString('utf8'), rest: written.slice(at + 1) };
}

/** The two names in a `diff --git` line; undefined if they differ and no quotes show where the first one ends. */
export function gitNames(line: string): NamePair | undefined {
  const written = line.slice('diff --git '.length).replace(/\r$/, '');
  return namePair(written) ?? namePair(written.trimEnd());
}

function namePair(written: string): NamePair | undefined {
  if (written.startsWith('"')) {
    const { name, rest } = quotedName(written);
    return { old: name, new: wholeName(rest.trimStart()) };
  }
  const quote = written.indexOf(' "');
  if (quote >= 0) return { old: written.slice(0, quote), new: wholeName(written.slice(quote + 1)) };
  const middle = (written.length - 1) / 2;
  if (written[middle] !== ' ') return undefined;
  const names = { old: written.slice(0, middle), new: written.slice(middle + 1) };
  return withoutPrefix(names.old) === withoutPrefix(names.new) ? names : undefined;
}

/** git puts one of these before a name, depending on what it compares. */
const PREFIX = /^[abciow]\//;

function withoutPrefix(name: string): string {
  return name.replace(PREFIX, '');
}

/**
 * The name of the file that both names mean; undefined if they mean two files. If one of them is /dev/null, the
 * `diff --git` line shows whether the other has a prefix: without prefixes, the two names in that line are the same.
 */
export function commonName({ old, new: now }: NamePair, git: NamePair | undefined): string | undefined {
  if (old === DEV_NULL || now === DEV_NULL) {
    const name = old === DEV_NULL ? now : old;
    if (git === undefined) return name.replace(/^[ab]\//, '');
    return git.old === git.new ? name : withoutPrefix(name);
  }
  if (old === now) return old;
  if (withoutPrefix(old) === withoutPrefix(now)) return withoutPrefix(now);
  return undefined;
}
