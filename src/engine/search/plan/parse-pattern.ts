/** Parses a regular expression and its flags, so that the planner can analyse it. */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

export interface PatternFlags {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
  /** `u` or `v`: the pattern sees code points instead of UTF-16 units. */
  unicode: boolean;
  /** `v`: classes may hold strings and set operations. */
  unicodeSets: boolean;
}

export interface ParsedPattern {
  root: AST.Pattern;
  flags: PatternFlags;
}

const parser = new RegExpParser({ ecmaVersion: 2025 });

/**
 * Undefined if V8 may interpret the pattern differently than the parser, so that nothing is known about it. `(?i:…)` is
 * such a case: V8 up to 13 lets it leak into later classes (`/(?i:k)?[a]/v` matches `A`).
 */
export function parsePattern(source: string, flags: string): ParsedPattern | undefined {
  const unicodeSets = flags.includes('v');
  const unicode = unicodeSets || flags.includes('u');
  try {
    const root = parser.parsePattern(source, 0, source.length, {
      unicode: unicode && !unicodeSets,
      unicodeSets,
    });
    if (changesFlags(root)) return undefined;
    const patternFlags = {
      ignoreCase: flags.includes('i'),
      multiline: flags.includes('m'),
      dotAll: flags.includes('s'),
      unicode,
      unicodeSets,
    };
    return { root, flags: patternFlags };
  } catch {
    return undefined;
  }
}

function changesFlags(root: AST.Pattern): boolean {
  let changes = false;
  visitRegExpAST(root, {
    onModifiersEnter: () => {
      changes = true;
    },
  });
  return changes;
}

/** The flags as a string, for a RegExp of a part of the pattern. */
export function flagString(flags: PatternFlags): string {
  return [
    flags.ignoreCase ? 'i' : '',
    flags.multiline ? 'm' : '',
    flags.dotAll ? 's' : '',
    flags.unicodeSets ? 'v' : flags.unicode ? 'u' : '',
  ].join('');
}
