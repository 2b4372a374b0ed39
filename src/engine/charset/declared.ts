/** Finds the encoding that the owner or a project declares for a file. Plain data, so that any thread can use it. */
import { fail } from '../failures.ts';
import { IgnoreChain } from '../glob/gitignore.ts';
import { parseIgnoreLine } from '../glob/ignore-pattern.ts';
import { charsetIn, type EditorConfig } from './editorconfig/parse.ts';
import { CHARSETS, type Charset, charsetNamed } from './names.ts';

/** Files that the glob matches, as in .gitignore and from each given directory, are in this encoding. */
export interface EncodingRule {
  glob: string;
  charset: Charset;
}

/** The owner's rules. The last one that matches decides. Paths and globs are bytes, one character for each. */
export class GivenCharsets {
  readonly #rules: readonly { chain: IgnoreChain; charset: Charset }[];
  /** The paths of the given directories, to which globs are relative. */
  readonly #prefixes: readonly string[];

  constructor(rules: readonly EncodingRule[], directories: readonly string[]) {
    this.#rules = rules
      .map(({ glob, charset }) => ({ chain: IgnoreChain.empty.child('', glob), charset }))
      .reverse();
    this.#prefixes = directories.map((directory) => (directory === '/' ? directory : `${directory}/`));
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** `path` is absolute, with all links resolved. */
  of(path: string): Charset | undefined {
    if (this.isEmpty) return undefined;
    for (const prefix of this.#prefixes) {
      const charset = path.startsWith(prefix) ? this.#below(path.slice(prefix.length)) : undefined;
      if (charset !== undefined) return charset;
    }
    return undefined;
  }

  /** A glob that matches a directory means everything in it. */
  #below(path: string): Charset | undefined {
    const isMeant = (chain: IgnoreChain) => {
      for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
        if (chain.ignores(path.slice(0, end), true)) return true;
      }
      return chain.ignores(path, false);
    };
    return this.#rules.find(({ chain }) => isMeant(chain))?.charset;
  }
}

/** Fails for a glob that can match nothing, and for an unknown encoding. */
export function readEncodingRules(rules: readonly EncodingRule[]): EncodingRule[] {
  return rules.map(({ glob, charset: name }) => {
    const charset = charsetNamed(name);
    if (charset === undefined) {
      const reason = `there is no encoding ${name}; there are ${CHARSETS.join(', ')}`;
      return fail({ kind: 'bad-glob', pattern: `${glob}=${name}`, reason });
    }
    const rule = /[\0\n]/.test(glob) ? undefined : parseIgnoreLine(glob);
    if (rule === undefined || rule.negated)
      fail({ kind: 'bad-glob', pattern: glob, reason: 'as a line of a .gitignore file it names nothing' });
    return { glob, charset };
  });
}

/** An .editorconfig, and the length of its directory's path. */
export interface ConfigAbove {
  config: EditorConfig;
  /** Where the part of a file's path begins that is relative to the directory. */
  below: number;
}

/** The charset that .editorconfig files give a file: the nearest one decides, up to one that is the root. */
export function charsetByConfigs(nearestFirst: Iterable<ConfigAbove>, path: string): Charset | undefined {
  for (const { config, below } of nearestFirst) {
    const charset = charsetIn(config, path.slice(below));
    if (charset !== undefined) return charset === 'unset' ? undefined : charset;
    if (config.isRoot) return undefined;
  }
  return undefined;
}
