/**
 * Translates the globs in the headings of an .editorconfig to the globs that the rest of the engine uses.
 *
 * They differ in three ways: a glob without a slash matches names at any depth, `**` may be next to other letters of a
 * name, and unclosed braces or brackets stand for themselves. `{1..9999}` is more alternatives than a glob may have
 * here: such a heading matches nothing.
 */
import { EngineFailure } from '../../failures.ts';
import { compileGlobs, type GlobMatcher } from '../../glob/glob.ts';

/** Longer headings match nothing, as in other programs. */
const LONGEST = 1024;
/** Empty names, `.` and `..`, which no file has. */
const NO_FILE = /(?:^|\/)\.{0,2}(?:\/|$)/;
/** An escaped character, a class, stars, or any other character. */
const TOKENS = /\\.|\[!?\]?[^\]/]*\]|\*{2,}|./gs;

export class SectionGlob {
  readonly #globs: GlobMatcher | undefined;

  constructor(heading: string) {
    const bare = heading.startsWith('/') ? heading.slice(1) : heading;
    if (heading.length > LONGEST || NO_FILE.test(bare)) return;
    const tokens = bare.match(TOKENS) ?? [];
    const anywhere = heading.includes('/') ? '' : '**/';
    this.#globs =
      compiled(`${anywhere}${tokens.map(translated).join('')}`) ??
      compiled(`${anywhere}${tokens.map(withoutBraces).join('')}`);
  }

  /** `path` is relative to the directory of the file. */
  matches(path: string): boolean {
    return this.#globs?.matches(path) ?? false;
  }
}

/** Undefined for a text that is not a valid glob, or that would take too much work. */
function compiled(glob: string): GlobMatcher | undefined {
  try {
    return compileGlobs([glob]);
  } catch (error) {
    if (error instanceof EngineFailure) return undefined;
    throw error;
  }
}

function translated(token: string, at: number, tokens: readonly string[]): string {
  if (token === '[') return '\\[';
  if (!token.startsWith('**')) return token;
  const isSegment = /^[/{,]?$/.test(tokens[at - 1] ?? '') && /^[/},]?$/.test(tokens[at + 1] ?? '');
  return isSegment ? '**' : '{*,*/**/*}';
}

function withoutBraces(token: string): string {
  if (token.startsWith('**')) return '*';
  return token === '{' || token === '}' || token === '[' ? `\\${token}` : token;
}
