/**
 * A form of a pattern that can be run over a whole file at once and finds at least every line that the
 * pattern matches by itself: for patterns that no prefilter fits.
 *
 * Everything that could take a newline is kept from doing so, or a single `[^x]*` would run to the end of
 * the file from every line. With a negative lookaround, which sees beyond the line, there is no such form.
 */
import type { AST } from '@eslint-community/regexpp';
import { type CharacterNode, isCharacterNode } from './characters.ts';
import { flagsOf, type ParsedPattern, type Scope } from './parse-pattern.ts';

/** Undefined when lines must be looked at one by one. */
export function wholeTextForm(pattern: ParsedPattern, flags: string): RegExp | undefined {
  if (cannotBeWhole(pattern.root.alternatives)) return undefined;
  try {
    const source = ofAlternatives(pattern.root.alternatives, pattern.scope);
    return new RegExp(source, `${flags.replace(/[gmy]/g, '')}gm`);
  } catch {
    return undefined;
  }
}

function cannotBeWhole(alternatives: readonly AST.Alternative[]): boolean {
  return alternatives.some(({ elements }) => elements.some(refuses));
}

function refuses(element: AST.Element): boolean {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return cannotBeWhole(element.alternatives);
    case 'Quantifier':
      return refuses(element.element);
    case 'Assertion':
      if (element.kind !== 'lookahead' && element.kind !== 'lookbehind') return false;
      return element.negate || cannotBeWhole(element.alternatives);
    default:
      return false;
  }
}

function ofAlternatives(alternatives: readonly AST.Alternative[], scope: Scope): string {
  return alternatives
    .map(({ elements }) => elements.map((element) => ofElement(element, scope)).join(''))
    .join('|');
}

function ofElement(element: AST.Element, scope: Scope): string {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return within(element, scope);
    case 'Quantifier':
      return quantified(element, scope);
    case 'Assertion':
      return element.kind === 'lookahead' || element.kind === 'lookbehind'
        ? within(element, scope)
        : element.raw;
    default:
      return isCharacterNode(element) ? withoutNewline(element, scope) : element.raw;
  }
}

/** Keeps the opening as written (`(?:`, `(?<name>`, `(?=`), and with it the numbers of the groups. */
function within(group: AST.Group | AST.CapturingGroup | AST.LookaroundAssertion, scope: Scope): string {
  const opening = group.raw.slice(0, group.alternatives[0]!.start - group.start);
  return `${opening}${ofAlternatives(group.alternatives, scope)})`;
}

function quantified(quantifier: AST.Quantifier, scope: Scope): string {
  const suffix = quantifier.raw.slice(quantifier.element.raw.length);
  return ofElement(quantifier.element, scope) + suffix;
}

function withoutNewline(node: CharacterNode, scope: Scope): string {
  const { raw } = node;
  if (!takesNewline(raw, scope)) return raw;
  if (raw === '.') return '[^\\n]';
  if (raw === '\\s') return '[^\\S\\n]';
  if (raw === '\\D') return '[^\\d\\n]';
  const negated = node.type === 'CharacterClass' && node.negate && !scope.sets;
  if (negated && raw[2] !== '-') return `[^\\n${raw.slice(2)}`;
  return `(?:(?!\\n)${raw})`;
}

function takesNewline(raw: string, scope: Scope): boolean {
  return new RegExp(`^(?:${raw})$`, flagsOf({ ...scope, multiline: false })).test('\n');
}
