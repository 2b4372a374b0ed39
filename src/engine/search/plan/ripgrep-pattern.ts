/**
 * Translates an ECMAScript pattern to one for ripgrep that matches at least every line that the original matches.
 * Parts that have no cheap equivalent there become 'any bytes'; the original pattern decides afterwards.
 */
import type { AST } from '@eslint-community/regexpp';
import { type CharacterNode, isCharacterNode, oneCharacter } from './characters.ts';
import type { ParsedPattern, PatternFlags } from './parse-pattern.ts';

const ANY_BYTE = '(?-u:[^\\n])';
/** One UTF-16 unit or code point of a line, whatever its bytes are. */
const ANY_CHARACTER = `${ANY_BYTE}{1,4}`;
const ANYTHING = `${ANY_BYTE}*`;
/** Rust's engine unrolls repetitions: beyond this many, the translation says 'or more'. */
const MOST_REPEATS = 40;

export function ripgrepSuperset(pattern: ParsedPattern): string {
  return translateAlternatives(pattern.root.alternatives, pattern.flags);
}

function translateAlternatives(alternatives: readonly AST.Alternative[], flags: PatternFlags): string {
  return `(?:${alternatives.map(({ elements }) => translateSequence(elements, flags)).join('|')})`;
}

function translateSequence(elements: readonly AST.Element[], flags: PatternFlags): string {
  return elements.map((element) => translateElement(element, flags)).join('');
}

function translateElement(element: AST.Element, flags: PatternFlags): string {
  switch (element.type) {
    case 'Assertion':
      return translateAssertion(element, flags);
    case 'Quantifier':
      return translateRepeated(element, flags);
    case 'Group':
    case 'CapturingGroup':
      return translateAlternatives(element.alternatives, flags);
    case 'Backreference':
      return ANYTHING;
    default:
      return isCharacterNode(element) ? translateCharacter(element, flags) : ANYTHING;
  }
}

function translateCharacter(node: CharacterNode, flags: PatternFlags): string {
  return narrowClass(node, flags) ?? (canBeOneCharacter(node, flags) ? ANY_CHARACTER : ANYTHING);
}

/** A class of ASCII characters, or one other character; undefined when anything must be allowed. */
function narrowClass(node: CharacterNode, flags: PatternFlags): string | undefined {
  const one = oneCharacter(node, flags);
  if (!one) return undefined;
  if (!one.onlyAscii) {
    const [text, ...others] = one.texts ?? [];
    const plain = text !== undefined && others.length === 0 && !/^[\ud800-\udfff]$/.test(text);
    return plain ? escapeCode(text.codePointAt(0)!) : undefined;
  }
  const members: string[] = [];
  one.ascii.forEach((is, code) => {
    if (is) members.push(escapeCode(code));
  });
  return members.length === 0 ? '[a&&b]' : `(?-u:[${members.join('')}])`;
}

function canBeOneCharacter(node: CharacterNode, flags: PatternFlags): boolean {
  // No line contains a newline, so any translation of one is correct.
  return node.type === 'Character' || oneCharacter(node, flags) !== undefined;
}

function translateAssertion(assertion: AST.Assertion, flags: PatternFlags): string {
  switch (assertion.kind) {
    case 'start':
      return flags.multiline ? '' : '^';
    case 'end':
      return flags.multiline ? '' : '(?:\\r?$)';
    case 'word': {
      const wider = flags.ignoreCase && flags.unicode;
      return assertion.negate || wider ? '' : '(?-u:\\b)';
    }
    default:
      return '';
  }
}

function translateRepeated({ element, min, max }: AST.Quantifier, flags: PatternFlags): string {
  if (element.type === 'Assertion') return '';
  const narrow = isCharacterNode(element) ? narrowClass(element, flags) : undefined;
  const least = Math.min(min, MOST_REPEATS);
  if (isCharacterNode(element) && narrow === undefined) {
    if (!canBeOneCharacter(element, flags)) return ANYTHING;
    return `${ANY_BYTE}{${least},}`;
  }
  const repeated = narrow ?? translateElement(element, flags);
  // A repetition of 'anything' matches the same as 'anything'.
  if (repeated === ANYTHING) return ANYTHING;
  const most = max > MOST_REPEATS ? '' : String(max);
  return `(?:${repeated}){${least},${most}}`;
}

function escapeCode(code: number): string {
  const character = String.fromCodePoint(code);
  if (/^[A-Za-z0-9_ ]$/.test(character)) return character;
  return code < 128 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\x{${code.toString(16)}}`;
}
