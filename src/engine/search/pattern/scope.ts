/** A parsed pattern, and which flags hold where: `(?i:…)` changes them for a part of it. */
import { type AST, RegExpParser } from '@eslint-community/regexpp';

export interface Scope {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
  /** `u` or `v`: the pattern sees code points instead of UTF-16 units. */
  unicode: boolean;
  /** `v`: classes may hold strings and set operations. */
  sets: boolean;
}

export interface ParsedPattern {
  source: string;
  root: AST.Pattern;
  scope: Scope;
}

const parser = new RegExpParser({ ecmaVersion: 2025 });

/** Undefined when the parser does not know what the running engine accepts: then nothing is assumed about it. */
export function parsePattern(source: string, flags: string): ParsedPattern | undefined {
  const sets = flags.includes('v');
  const unicode = sets || flags.includes('u');
  try {
    const root = parser.parsePattern(source, 0, source.length, {
      unicode: unicode && !sets,
      unicodeSets: sets,
    });
    const scope = {
      ignoreCase: flags.includes('i'),
      multiline: flags.includes('m'),
      dotAll: flags.includes('s'),
      unicode,
      sets,
    };
    return { source, root, scope };
  } catch {
    return undefined;
  }
}

export function scopeInside(group: AST.Group | AST.CapturingGroup, outside: Scope): Scope {
  if (group.type !== 'Group' || !group.modifiers) return outside;
  const { add, remove } = group.modifiers;
  return {
    ...outside,
    ignoreCase: (outside.ignoreCase || add.ignoreCase) && !remove?.ignoreCase,
    multiline: (outside.multiline || add.multiline) && !remove?.multiline,
    dotAll: (outside.dotAll || add.dotAll) && !remove?.dotAll,
  };
}

/** The flags of a scope, for trying a part of the pattern by itself. */
export function flagsOf(scope: Scope): string {
  return [
    scope.ignoreCase ? 'i' : '',
    scope.multiline ? 'm' : '',
    scope.dotAll ? 's' : '',
    scope.sets ? 'v' : scope.unicode ? 'u' : '',
  ].join('');
}
