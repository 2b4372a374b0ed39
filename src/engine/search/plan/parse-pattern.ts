/** A parsed pattern and the flags that it is read with. */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

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

/**
 * Undefined when nothing may be assumed about the pattern, because the engine may see something else in it.
 * That is also so with `(?i:…)`: V8 up to 13 lets it leak into later classes (`/(?i:k)?[a]/v` matches `A`).
 */
export function parsePattern(source: string, flags: string): ParsedPattern | undefined {
  const sets = flags.includes('v');
  const unicode = sets || flags.includes('u');
  try {
    const root = parser.parsePattern(source, 0, source.length, {
      unicode: unicode && !sets,
      unicodeSets: sets,
    });
    if (changesFlags(root)) return undefined;
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

function changesFlags(root: AST.Pattern): boolean {
  let changes = false;
  visitRegExpAST(root, {
    onModifiersEnter: () => {
      changes = true;
    },
  });
  return changes;
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
