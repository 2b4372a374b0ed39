/**
 * Rewrites a pattern that has no prefilter, so that it can run over a whole file at once. The new form finds at least
 * every line that the pattern matches.
 *
 * No part of the new form matches a newline, or a single `[^x]*` would run to the end of the file from every line.
 * A pattern with a negative lookaround has no such form, because the lookaround would see beyond the line.
 */
import type { AST } from '@eslint-community/regexpp';
import { type CharacterNode, isCharacterNode } from './characters.ts';
import { flagString, type ParsedPattern, type PatternFlags } from './parse-pattern.ts';

/** Undefined if the search must try lines one by one. */
export function wholeTextForm(pattern: ParsedPattern, flags: string): RegExp | undefined {
  if (hasNegativeLookaround(pattern.root.alternatives)) return undefined;
  try {
    const source = rewriteAlternatives(pattern.root.alternatives, pattern.flags);
    return new RegExp(source, `${flags.replace(/[gmy]/g, '')}gm`);
  } catch {
    return undefined;
  }
}

function hasNegativeLookaround(alternatives: readonly AST.Alternative[]): boolean {
  return alternatives.some(({ elements }) => elements.some(isOrHasNegativeLookaround));
}

function isOrHasNegativeLookaround(element: AST.Element): boolean {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return hasNegativeLookaround(element.alternatives);
    case 'Quantifier':
      return isOrHasNegativeLookaround(element.element);
    case 'Assertion':
      if (element.kind !== 'lookahead' && element.kind !== 'lookbehind') return false;
      return element.negate || hasNegativeLookaround(element.alternatives);
    default:
      return false;
  }
}

function rewriteAlternatives(alternatives: readonly AST.Alternative[], flags: PatternFlags): string {
  return alternatives
    .map(({ elements }) => elements.map((element) => rewriteElement(element, flags)).join(''))
    .join('|');
}

function rewriteElement(element: AST.Element, flags: PatternFlags): string {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return rewriteGroup(element, flags);
    case 'Quantifier':
      return rewriteQuantifier(element, flags);
    case 'Assertion':
      return element.kind === 'lookahead' || element.kind === 'lookbehind'
        ? rewriteGroup(element, flags)
        : element.raw;
    default:
      return isCharacterNode(element) ? withoutNewline(element, flags) : element.raw;
  }
}

/** Keeps the opening as written (`(?:`, `(?<name>`, `(?=`), so that groups keep their numbers. */
function rewriteGroup(
  group: AST.Group | AST.CapturingGroup | AST.LookaroundAssertion,
  flags: PatternFlags,
): string {
  const opening = group.raw.slice(0, group.alternatives[0]!.start - group.start);
  return `${opening}${rewriteAlternatives(group.alternatives, flags)})`;
}

function rewriteQuantifier(quantifier: AST.Quantifier, flags: PatternFlags): string {
  const suffix = quantifier.raw.slice(quantifier.element.raw.length);
  return rewriteElement(quantifier.element, flags) + suffix;
}

function withoutNewline(node: CharacterNode, flags: PatternFlags): string {
  const { raw } = node;
  if (!takesNewline(raw, flags)) return raw;
  if (raw === '.') return '[^\\n]';
  if (raw === '\\s') return '[^\\S\\n]';
  if (raw === '\\D') return '[^\\d\\n]';
  const negated = node.type === 'CharacterClass' && node.negate && !flags.unicodeSets;
  if (negated && raw[2] !== '-') return `[^\\n${raw.slice(2)}`;
  return `(?:(?!\\n)${raw})`;
}

function takesNewline(raw: string, flags: PatternFlags): boolean {
  return new RegExp(`^(?:${raw})$`, flagString({ ...flags, multiline: false })).test('\n');
}
