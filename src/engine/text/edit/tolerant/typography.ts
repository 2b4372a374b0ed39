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
  /** Where it is in its lines, joined by newlines. */
  at: number;
  /** Which of the like characters of its line it is, from 0, and how many there are. */
  nth: number;
  of: number;
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
    const curves = everywhere.length === 0 && curvesOtherQuotes(all, plain);
    if (!curves && everywhere.every(([wanted, real]) => wanted.character === real)) {
      if (bringsNewForms(runs, everywhere, plain)) return undefined;
      continue;
    }
    const toPlain = curves ? () => plain : habitOf(everywhere, plain);
    for (const [index, { old, put }] of runs.entries()) {
      // Blanks occur everywhere: those of other lines say nothing about these.
      const here = differencesIn(old, plain);
      const evidence = plain === ' ' ? here : everywhere;
      const known = toPlain ?? positionsIn(here, { old, put }, plain, evidence);
      if (known === undefined) return undefined;
      replaceIn(results[index]!, known, plain);
    }
  }
  return results.map((run) => run.map((line) => line.join('')));
}

/** Whether the old text has curved quotes of the other kind where the file has plain ones: then these are plain too. */
function curvesOtherQuotes(all: readonly LinePair[], plain: string): boolean {
  if (plain !== '"' && plain !== "'") return false;
  const other = plain === '"' ? "'" : '"';
  const differing = differencesIn(all, other).filter(([{ character }, real]) => character !== real);
  return differing.length > 0 && differing.every(([, real]) => real === other);
}

/** Who writes other forms than the file has may have done so here too, where the file has none to compare with. */
function bringsNewForms(runs: readonly ChangedRun[], known: readonly Difference[], plain: string): boolean {
  const forms = new Set([plain, ...known.map(([, real]) => real)]);
  return runs.some(({ put }) =>
    put.some((line) => placesIn(line, plain).some((at) => !forms.has(line[at]!))),
  );
}

type Difference = readonly [wanted: Written, real: string];
type TypographyHabit = (character: string, index: number) => string;

/** Every place of a character, in whichever form, with the form that the file has there. */
function differencesIn(pairs: readonly LinePair[], plain: string): Difference[] {
  let start = 0;
  return pairs.flatMap(({ wanted, real }) => {
    const skip = indentOf(real) - indentOf(wanted);
    const from = start;
    start += wanted.length + 1;
    return writtenIn(wanted, plain, from).map((written): Difference => {
      const at = written.at - from;
      return [written, real[at + skip] ?? wanted[at]!];
    });
  });
}

/** Without those of the indentation. */
function writtenIn(line: string, plain: string, start: number): Written[] {
  const places = placesIn(line, plain).filter((at) => at >= indentOf(line));
  return places.map((at, nth) => ({
    character: line[at]!,
    before: line[at - 1] ?? '',
    after: line[at + 1] ?? '',
    at: start + at,
    nth,
    of: places.length,
  }));
}

function placesIn(line: string, plain: string): number[] {
  const places: number[] = [];
  const end = plainTypography(line).trimEnd().length;
  for (let at = 0; at < end; at++) if (plainCharacter(line[at]!) === plain) places.push(at);
  return places;
}

function indentOf(line: string): number {
  return /^[ \t\u00a0]*/.exec(line)![0].length;
}

/** Where the file has the plain form wherever the old text has another, the new text's others are plain too. */
function habitOf(differences: readonly Difference[], plain: string): TypographyHabit | undefined {
  const others = differences.filter(([{ character }]) => character !== plain);
  const plainOnes = differences.filter(([{ character }]) => character === plain);
  if (plainOnes.some(([, real]) => real !== plain) || others.some(([, real]) => real !== plain)) {
    return undefined;
  }
  const mapped = new Set(others.map(([{ character }]) => character));
  return (character) => (mapped.has(character) ? plain : character);
}

/** Each character of the new lines takes the form of the one in whose place it is, or of those like it. */
function positionsIn(
  here: readonly Difference[],
  { old, put }: ChangedRun,
  plain: string,
  evidence: readonly Difference[],
): TypographyHabit | undefined {
  let start = 0;
  const now = put.flatMap((line) => {
    const from = start;
    start += line.length + 1;
    return writtenIn(line, plain, from);
  });
  if (now.length === 0 || evidence.every(([wanted, real]) => wanted.character === real)) return keepAll;
  const clear =
    now.length === here.length && now.every((written, index) => isSamePlace(written, here[index]![0]));
  if (clear) return (_, index) => here[index]![1];
  const sameIn = unchangedPlaces(old.map(({ wanted }) => wanted).join('\n'), put.join('\n'));
  const forms = now.map((written) => {
    const at = sameIn(written.at);
    const [, kept] = here.find(([wanted]) => wanted.at === at) ?? [];
    return kept ?? formLike(written, plain, evidence);
  });
  return forms.includes(undefined) ? undefined : (_, index) => forms[index]!;
}

/** Where a character of the new text is in the old one, as far as both begin or end alike. */
function unchangedPlaces(old: string, put: string): (at: number) => number | undefined {
  const shorter = Math.min(old.length, put.length);
  let before = 0;
  while (before < shorter && old[before] === put[before]) before++;
  let after = 0;
  while (after < shorter - before && old.at(-1 - after) === put.at(-1 - after)) after++;
  return (at) => (at < before ? at : at >= put.length - after ? at - put.length + old.length : undefined);
}

/** The form that the file gives such a character between such neighbours; undefined where it gives it several. */
function formLike(written: Written, plain: string, evidence: readonly Difference[]): string | undefined {
  if (written.character !== plain || plain === ' ') return written.character;
  if (plain !== '-') return quoteLike(written, plain, evidence);
  const around = (each: Written) => `${neighbour(each.before)} ${neighbour(each.after)}`;
  const alike = evidence.filter(([wanted]) => around(wanted) === around(written)).map(([, real]) => real);
  if (alike.length === 0) return written.character;
  return alike.every((real) => real === alike[0]) ? alike[0] : undefined;
}

function neighbour(character: string): string {
  if (/^\s?$/.test(character)) return 'blank';
  return /\d/.test(character) ? 'digit' : /\p{L}/u.test(character) ? 'letter' : 'sign';
}

/** What a quote may follow that opens. */
const OPENS = /^[\s([{<\-\u2013\u2014"'\u201c\u2018]?$/;

/** Where all quotes of the file are curved, double ones come in pairs, and others curve by what is before them. */
function quoteLike(written: Written, plain: string, evidence: readonly Difference[]): string | undefined {
  if (evidence.some(([, real]) => real === plain)) return undefined;
  const [opening, closing] = OTHER_FORMS[plain]!;
  // An apostrophe may begin a word.
  if (evidence.every(([, real]) => real === closing)) return closing;
  if (plain === '"' && written.of % 2 === 0) return written.nth % 2 === 0 ? opening : closing;
  const opens = OPENS.test(written.before) && !/^\s?$/.test(written.after);
  return opens ? opening : closing;
}

function keepAll(character: string): string {
  return character;
}

function isSamePlace(now: Written, then: Written): boolean {
  if (now.character !== then.character) return false;
  return now.before === then.before || now.after === then.after;
}

function replaceIn(lines: string[][], known: TypographyHabit, plain: string): void {
  let index = 0;
  for (const line of lines) {
    const text = line.join('');
    for (const at of placesIn(text, plain)) {
      if (at < indentOf(text)) continue;
      line[at] = known(line[at]!, index++);
    }
  }
}
