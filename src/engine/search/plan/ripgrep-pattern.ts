/**
 * From an ECMAScript pattern to one for ripgrep's engine that matches at least every line the original
 * matches. What has no cheap equivalent there becomes 'any bytes'; the original decides afterwards.
 */
import type { AST } from '@eslint-community/regexpp';
import { type CharacterNode, isCharacterNode, oneCharacter } from './characters.ts';
import type { ParsedPattern, Scope } from './parse-pattern.ts';

const ANY_BYTE = '(?-u:[^\\n])';
/** One UTF-16 unit or code point of a line, whatever its bytes are. */
const ANY_CHARACTER = `${ANY_BYTE}{1,4}`;
const ANYTHING = `${ANY_BYTE}*`;
/** Rust compiles repetitions out: beyond this many, 'or more' must do. */
const MOST_REPEATS = 40;

export function ripgrepSuperset(pattern: ParsedPattern): string {
  return ofAlternatives(pattern.root.alternatives, pattern.scope);
}

function ofAlternatives(alternatives: readonly AST.Alternative[], scope: Scope): string {
  return `(?:${alternatives.map(({ elements }) => ofSequence(elements, scope)).join('|')})`;
}

function ofSequence(elements: readonly AST.Element[], scope: Scope): string {
  return elements.map((element) => ofElement(element, scope)).join('');
}

function ofElement(element: AST.Element, scope: Scope): string {
  switch (element.type) {
    case 'Assertion':
      return ofAssertion(element, scope);
    case 'Quantifier':
      return ofRepeated(element, scope);
    case 'Group':
    case 'CapturingGroup':
      return ofAlternatives(element.alternatives, scope);
    case 'Backreference':
      return ANYTHING;
    default:
      return isCharacterNode(element) ? ofCharacter(element, scope) : ANYTHING;
  }
}

function ofCharacter(node: CharacterNode, scope: Scope): string {
  return narrowClass(node, scope) ?? (canBeOneCharacter(node, scope) ? ANY_CHARACTER : ANYTHING);
}

/** A class of ASCII characters, or one other character; undefined when anything must be allowed. */
function narrowClass(node: CharacterNode, scope: Scope): string | undefined {
  const one = oneCharacter(node, scope);
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

function canBeOneCharacter(node: CharacterNode, scope: Scope): boolean {
  // A newline cannot stand in a line at all, so any translation of it will do.
  return node.type === 'Character' || oneCharacter(node, scope) !== undefined;
}

function ofAssertion(assertion: AST.Assertion, scope: Scope): string {
  switch (assertion.kind) {
    case 'start':
      return scope.multiline ? '' : '^';
    case 'end':
      return scope.multiline ? '' : '(?:\\r?$)';
    case 'word': {
      const wider = scope.ignoreCase && scope.unicode;
      return assertion.negate || wider ? '' : '(?-u:\\b)';
    }
    default:
      return '';
  }
}

function ofRepeated({ element, min, max }: AST.Quantifier, scope: Scope): string {
  if (element.type === 'Assertion') return '';
  const narrow = isCharacterNode(element) ? narrowClass(element, scope) : undefined;
  const least = Math.min(min, MOST_REPEATS);
  if (isCharacterNode(element) && narrow === undefined) {
    if (!canBeOneCharacter(element, scope)) return ANYTHING;
    return `${ANY_BYTE}{${least},}`;
  }
  const repeated = narrow ?? ofElement(element, scope);
  // A part that was given up to 'anything' already takes as much as it can.
  if (repeated === ANYTHING) return ANYTHING;
  const most = max > MOST_REPEATS ? '' : String(max);
  return `(?:${repeated}){${least},${most}}`;
}

function escapeCode(code: number): string {
  const character = String.fromCodePoint(code);
  if (/^[A-Za-z0-9_ ]$/.test(character)) return character;
  return code < 128 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\x{${code.toString(16)}}`;
}
