/**
 * Decides whether a pattern finds the same in a text as in its UTF-8, read as one character for each byte.
 *
 * That holds if the pattern names only ASCII characters, and matches any number of other characters without
 * distinguishing them: `lock.*free`, `"[^"]*"`. Then a search can decide on a long line that is not ASCII without
 * decoding it.
 */
import type { AST } from '@eslint-community/regexpp';
import { isCharacterNode, oneCharacter } from './characters.ts';
import type { ParsedPattern, PatternFlags } from './parse-pattern.ts';

export function worksOnBytes({ root, flags }: ParsedPattern): boolean {
  return (
    !flags.unicode && !flags.multiline && root.alternatives.every((each) => sequenceWorksOnBytes(each, flags))
  );
}

/**
 * Whether every match begins with this text, and the pattern does not examine what is around the match. Then a match in
 * a part of a line that begins with the text is also a match in the whole line.
 */
export function beginsWith({ root, flags }: ParsedPattern, text: string): boolean {
  const [only, other] = root.alternatives;
  if (other !== undefined || !only || flags.ignoreCase || root.raw.includes('\\b')) return false;
  const first = only.elements.slice(0, text.length);
  const isText = first.every(
    (element, index) => element.type === 'Character' && element.value === text.charCodeAt(index),
  );
  return isText && first.length === text.length && !/[$^]|\\B/.test(root.raw);
}

function sequenceWorksOnBytes({ elements }: AST.Alternative, flags: PatternFlags): boolean {
  return elements.every((element) => elementWorksOnBytes(element, flags));
}

function elementWorksOnBytes(element: AST.Element, flags: PatternFlags): boolean {
  if (isCharacterNode(element)) return oneCharacter(element, flags)?.onlyAscii === true;
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.every((each) => sequenceWorksOnBytes(each, flags));
    case 'Quantifier': {
      const { min, max, element: repeated } = element;
      const isAnyNumber = min <= 1 && max === Number.POSITIVE_INFINITY;
      return (isAnyNumber && matchesAllNonAscii(repeated)) || elementWorksOnBytes(repeated, flags);
    }
    case 'Assertion':
      return element.kind === 'word' || element.kind === 'start' || element.kind === 'end';
    default:
      return false;
  }
}

/** Whether it matches every character beyond ASCII, except that long-line.ts handles U+2028 and U+2029 later. */
function matchesAllNonAscii(element: AST.Element): boolean {
  if (element.type === 'CharacterSet')
    return element.kind === 'any' || (isAsciiSet(element) && 'negate' in element && element.negate);
  if (element.type !== 'CharacterClass' || !element.negate) return false;
  return element.elements.every((member) => {
    if (member.type === 'Character') return member.value < 128;
    if (member.type === 'CharacterClassRange') return member.max.value < 128;
    return member.type === 'CharacterSet' && isAsciiSet(member) && !member.negate;
  });
}

/** `\w` and `\d`; `\s` has members beyond ASCII. */
function isAsciiSet(
  set: AST.CharacterSet | AST.ClassRangesCharacterClassElement,
): set is AST.EscapeCharacterSet {
  return set.type === 'CharacterSet' && (set.kind === 'word' || set.kind === 'digit');
}
