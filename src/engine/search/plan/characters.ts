/**
 * Finds what one character of a pattern can match in a line.
 *
 * If the answer depends on V8's tables (case folding, classes), it comes from a small RegExp, so that it cannot differ
 * from what the RegExp of the search does.
 */
import type { AST } from '@eslint-community/regexpp';
import { flagString, type PatternFlags } from './parse-pattern.ts';

const NEWLINE = 0x0a;
const REPLACEMENT = 0xfffd;
const MAX_TEXTS = 8;

export type CharacterNode =
  | AST.Character
  | AST.CharacterSet
  | AST.CharacterClass
  | AST.ExpressionCharacterClass;

/** What one character of a pattern can match. */
export interface OneCharacter {
  /** 1 at the index of each ASCII code that it can match, but never at that of a newline: lines contain none. */
  ascii: Uint8Array;
  /** Whether it can match only ASCII. */
  onlyAscii: boolean;
  /**
   * Everything that it can match, if that is only a few texts. If case does not matter, ASCII letters are in lower
   * case. Unpaired surrogates may be among the texts.
   */
  texts: readonly string[] | undefined;
}

export function isCharacterNode(node: AST.Element): node is CharacterNode {
  return (
    node.type === 'Character' ||
    node.type === 'CharacterSet' ||
    node.type === 'CharacterClass' ||
    node.type === 'ExpressionCharacterClass'
  );
}

/** The answers for each pattern: the planner analyses the same character again and again. */
const known = new WeakMap<PatternFlags, Map<string, OneCharacter | undefined>>();

/** Undefined for a node that may match no or several characters, and for one that no line can contain. */
export function oneCharacter(node: CharacterNode, flags: PatternFlags): OneCharacter | undefined {
  const inPattern = known.get(flags) ?? new Map<string, OneCharacter | undefined>();
  known.set(flags, inPattern);
  if (!inPattern.has(node.raw)) inPattern.set(node.raw, analyse(node, flags));
  return inPattern.get(node.raw);
}

function analyse(node: CharacterNode, flags: PatternFlags): OneCharacter | undefined {
  if (node.type === 'Character') return fromCode(node.value, flags);
  if (mayMatchStrings(node) || isEmptyClass(node, flags)) return undefined;
  const ascii = asciiMembers(node.raw, flags);
  if (!ascii) return undefined;
  const onlyAscii = isOnlyAscii(node, flags, ascii);
  return { ascii, onlyAscii, texts: onlyAscii ? asciiTexts(ascii, flags) : listedTexts(node, flags) };
}

/** The bytes that the character can consist of: decoding may turn those beyond ASCII into any character. */
export function bytesOf({ ascii, onlyAscii }: OneCharacter): Uint8Array {
  const bytes = new Uint8Array(256);
  bytes.set(ascii);
  if (!onlyAscii) bytes.fill(1, 128);
  return bytes;
}

function fromCode(code: number, flags: PatternFlags): OneCharacter | undefined {
  if (code === NEWLINE) return undefined;
  const ascii = new Uint8Array(128);
  if (code === REPLACEMENT) return { ascii, onlyAscii: false, texts: undefined };
  const forms = flags.ignoreCase ? caseForms(code, flags.unicode) : [String.fromCodePoint(code)];
  for (const form of forms) if (form.charCodeAt(0) < 128) ascii[form.charCodeAt(0)] = 1;
  return {
    ascii,
    onlyAscii: forms.every((form) => form.charCodeAt(0) < 128),
    texts: unique(forms.map((form) => (flags.ignoreCase ? lowerAscii(form) : form))),
  };
}

/** Only with the flag `v`: nested classes, `\q{…}` and properties of strings. */
function mayMatchStrings(node: Exclude<CharacterNode, AST.Character>): boolean {
  if (node.type === 'CharacterSet') return node.kind === 'property' && node.strings;
  if (node.type === 'ExpressionCharacterClass') return true;
  return node.elements.some(
    (element) =>
      element.type === 'ClassStringDisjunction' ||
      element.type === 'ExpressionCharacterClass' ||
      (element.type === 'CharacterSet' && mayMatchStrings(element)) ||
      (element.type === 'CharacterClass' && mayMatchStrings(element)),
  );
}

/** True for `[]` and `[^]` with the flag `v`: V8 11 forgets the quantifier of `[^]` there. */
function isEmptyClass(node: CharacterNode, flags: PatternFlags): boolean {
  return flags.unicodeSets && node.type === 'CharacterClass' && node.elements.length === 0;
}

function asciiMembers(raw: string, flags: PatternFlags): Uint8Array | undefined {
  let member: RegExp;
  try {
    member = new RegExp(`^(?:${raw})$`, flagString({ ...flags, multiline: false }));
  } catch {
    return undefined;
  }
  const ascii = new Uint8Array(128);
  for (let code = 0; code < 128; code++) {
    if (code !== NEWLINE && member.test(String.fromCharCode(code))) ascii[code] = 1;
  }
  return ascii;
}

function isOnlyAscii(
  node: Exclude<CharacterNode, AST.Character>,
  flags: PatternFlags,
  ascii: Uint8Array,
): boolean {
  if (!namesOnlyAscii(node)) return false;
  // With `i` and `u`, k also matches the Kelvin sign, and s the long s.
  const folds = flags.ignoreCase && flags.unicode;
  return !(folds && ['k', 'K', 's', 'S'].some((letter) => ascii[letter.charCodeAt(0)]));
}

function namesOnlyAscii(node: AST.CharacterClassElement | Exclude<CharacterNode, AST.Character>): boolean {
  switch (node.type) {
    case 'Character':
      return node.value < 128;
    case 'CharacterClassRange':
      return node.max.value < 128;
    case 'CharacterSet':
      return (node.kind === 'digit' || node.kind === 'word') && !node.negate;
    case 'CharacterClass':
      return !node.negate && node.elements.every(namesOnlyAscii);
    default:
      return false;
  }
}

function asciiTexts(ascii: Uint8Array, flags: PatternFlags): readonly string[] | undefined {
  const texts: string[] = [];
  ascii.forEach((is, code) => {
    if (is) texts.push(String.fromCharCode(code));
  });
  return unlessMany(flags.ignoreCase ? texts.map(lowerAscii) : texts);
}

/** The texts of a class that lists its characters one by one, some of them beyond ASCII. */
function listedTexts(
  node: Exclude<CharacterNode, AST.Character>,
  flags: PatternFlags,
): readonly string[] | undefined {
  if (node.type !== 'CharacterClass' || node.negate || node.elements.length > MAX_TEXTS) return undefined;
  const texts: string[] = [];
  for (const element of node.elements) {
    if (element.type !== 'Character') return undefined;
    const one = fromCode(element.value, flags);
    if (!one?.texts) return undefined;
    texts.push(...one.texts);
  }
  return unlessMany(texts);
}

function unlessMany(texts: readonly string[]): readonly string[] | undefined {
  const distinct = unique(texts);
  return distinct.length > 0 && distinct.length <= MAX_TEXTS ? distinct : undefined;
}

/** Every character that V8 treats as equal to this one when case does not matter. */
export function caseForms(code: number, unicode: boolean): readonly string[] {
  const character = String.fromCodePoint(code);
  if (code < 128) return asciiForms(character, unicode);
  if (code >= 0xd800 && code <= 0xdfff) return [character];
  const same = new RegExp(`\\u{${code.toString(16)}}`, 'giu');
  const sameUnits = new RegExp(`\\u${code.toString(16).padStart(4, '0')}`, 'gi');
  if (!unicode && code > 0xffff) return [character];
  const found = casedCharacters().match(unicode ? same : sameUnits) ?? [];
  return unique([character, ...found]);
}

function asciiForms(character: string, unicode: boolean): readonly string[] {
  const forms = unique([character.toLowerCase(), character.toUpperCase()]);
  if (!unicode) return forms;
  if (forms[0] === 'k') return [...forms, '\u212a'];
  if (forms[0] === 's') return [...forms, '\u017f'];
  return forms;
}

let cased: string | undefined;
/** Every character that has an upper-case, lower-case or folded form. */
export function casedCharacters(): string {
  if (cased !== undefined) return cased;
  const related = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}\p{Cased}]/u;
  const found: string[] = [];
  for (let code = 0x41; code < 0x20000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    if (related.test(character)) found.push(character);
  }
  cased = found.join('');
  return cased;
}

export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
