/** Quotes, dashes and no-break spaces that writers and language models put in the place of the plain characters. */

/** One plain character for each, so that positions stay the same. */
const PLAIN: Readonly<Record<string, string>> = {
  '\u201c': '"',
  '\u201d': '"',
  '\u2018': "'",
  '\u2019': "'",
  '\u2013': '-',
  '\u2014': '-',
  '\u00a0': ' ',
};
const OTHER_FORMS: Readonly<Record<string, string>> = {
  '"': '\u201c\u201d',
  "'": '\u2018\u2019',
  '-': '\u2013\u2014',
  ' ': '\u00a0',
};
const TYPOGRAPHIC = /[\u201c\u201d\u2018\u2019\u2013\u2014\u00a0]/g;

/** The plain form of a character: the same for all that are equal to it. */
function plainCharacter(character: string): string {
  return PLAIN[character] ?? character;
}

/** The same for the unit of a character. */
export function plainUnit(unit: number): number {
  return unit < 0x2013 || unit > 0x201d ? unit : plainCharacter(String.fromCharCode(unit)).charCodeAt(0);
}

export function plainTypography(text: string): string {
  return text.replace(TYPOGRAPHIC, plainCharacter);
}

/** Finds a text with each of these characters in any of its forms. */
export function typographyPattern(text: string): RegExp {
  const source = plainTypography(text)
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/["' -]/g, (plain) => `[${plain}${OTHER_FORMS[plain]}]`);
  return new RegExp(source, 'g');
}

/** A line of a text that was looked for, and the line of the file that it fitted. */
export interface LinePair {
  wanted: string;
  real: string;
}

interface Written {
  character: string;
  before: string;
  after: string;
}

/** Lines of the old text that make way for lines of the new one. */
export interface ChangedRun {
  old: readonly LinePair[];
  put: readonly string[];
}

/**
 * Writes the lines that are put in with the characters that the file has. Undefined where it is unclear which those
 * are: a plain quote of the new text may belong to one that is curved in the file, or be meant as it is.
 */
export function inFileTypography(
  runs: readonly ChangedRun[],
  all: readonly LinePair[],
): string[][] | undefined {
  const results = runs.map(({ put }) => put.map((line) => [...line.split('')]));
  for (const plain of new Set(Object.values(PLAIN))) {
    const everywhere = differencesIn(all, plain);
    if (everywhere.every(([wanted, real]) => wanted.character === real)) {
      if (bringsNewForms(runs, everywhere, plain)) return undefined;
      continue;
    }
    const toPlain = habitOf(everywhere, plain);
    for (const [index, { old, put }] of runs.entries()) {
      // Blanks stand everywhere: those of other lines say nothing about these.
      const here = differencesIn(old, plain);
      const known = toPlain ?? positionsIn(here, put, plain, plain === ' ' ? here : everywhere);
      if (known === undefined) return undefined;
      replaceIn(results[index]!, known, plain);
    }
  }
  return results.map((run) => run.map((line) => line.join('')));
}

/** Who writes other forms than the file has may have done so here too, where the file has none to compare with. */
function bringsNewForms(runs: readonly ChangedRun[], known: readonly Difference[], plain: string): boolean {
  const forms = new Set([plain, ...known.map(([, real]) => real)]);
  return runs.some(({ put }) =>
    put.some((line) => placesIn(line, plain).some((at) => !forms.has(line[at]!))),
  );
}

type Difference = readonly [wanted: Written, real: string];
type Known = (character: string, index: number) => string;

/** Every place of a character, in whichever form, with the form that the file has there. */
function differencesIn(pairs: readonly LinePair[], plain: string): Difference[] {
  return pairs.flatMap(({ wanted, real }) => {
    const skip = indentOf(real) - indentOf(wanted);
    return placesIn(wanted, plain)
      .filter((at) => at >= indentOf(wanted))
      .map((at): Difference => [writtenAt(wanted, at), real[at + skip] ?? wanted[at]!]);
  });
}

function placesIn(line: string, plain: string): number[] {
  const places: number[] = [];
  const end = plainTypography(line).trimEnd().length;
  for (let at = 0; at < end; at++) if (plainCharacter(line[at]!) === plain) places.push(at);
  return places;
}

function writtenAt(line: string, at: number): Written {
  return { character: line[at]!, before: line[at - 1] ?? '', after: line[at + 1] ?? '' };
}

function indentOf(line: string): number {
  return /^[ \t\u00a0]*/.exec(line)![0].length;
}

/** Where the file has the plain form wherever the old text has another, the new text's others are plain too. */
function habitOf(differences: readonly Difference[], plain: string): Known | undefined {
  const others = differences.filter(([{ character }]) => character !== plain);
  const plainOnes = differences.filter(([{ character }]) => character === plain);
  if (plainOnes.some(([, real]) => real !== plain) || others.some(([, real]) => real !== plain)) {
    return undefined;
  }
  const mapped = new Set(others.map(([{ character }]) => character));
  return (character) => (mapped.has(character) ? plain : character);
}

/** Each character of the new lines takes the form of the one in whose place it stands, if all of them have one. */
function positionsIn(
  here: readonly Difference[],
  put: readonly string[],
  plain: string,
  evidence: readonly Difference[],
): Known | undefined {
  const now = put.flatMap((line) =>
    placesIn(line, plain)
      .filter((at) => at >= indentOf(line))
      .map((at) => writtenAt(line, at)),
  );
  if (now.length === 0 || evidence.every(([wanted, real]) => wanted.character === real)) return keepAll;
  if (now.length !== here.length) return undefined;
  const clear = now.every((written, index) => isSamePlace(written, here[index]![0]));
  return clear ? (_, index) => here[index]![1] : undefined;
}

function keepAll(character: string): string {
  return character;
}

function isSamePlace(now: Written, then: Written): boolean {
  if (now.character !== then.character) return false;
  return now.before === then.before || now.after === then.after;
}

function replaceIn(lines: string[][], known: Known, plain: string): void {
  let index = 0;
  for (const line of lines) {
    const text = line.join('');
    for (const at of placesIn(text, plain)) {
      if (at < indentOf(text)) continue;
      line[at] = known(line[at]!, index++);
    }
  }
}
