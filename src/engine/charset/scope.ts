/** The encodings that are declared below the directory where a search starts, for the search threads. */
import { type ConfigAbove, charsetByConfigs, type EncodingRule, GivenCharsets } from './declared.ts';
import { parseEditorConfig } from './editorconfig/parse.ts';
import type { Charset } from './names.ts';

/** In a form that can be sent to another thread. Paths are absolute, with all links resolved. */
export interface CharsetScope {
  /** The owner's rules, and the directories that their globs are relative to: in bytes, one character for each. */
  rules: readonly EncodingRule[];
  directories: readonly string[];
  /** Where the search starts, also in bytes. */
  path: string;
  /** The .editorconfig files above that directory, the nearest one first. */
  above: readonly { directory: string; text: string }[];
}

/** How many directories to remember at most. */
const MOST_CHAINS = 4096;

export class CharsetsBelow {
  readonly #scope: CharsetScope;
  readonly #given: GivenCharsets;
  readonly #read: (directory: string) => string | undefined;
  readonly #text: (raw: string) => string;
  readonly #above: readonly ConfigAbove[];
  readonly #chains = new Map<string, readonly ConfigAbove[]>();

  /** `read` returns the .editorconfig in a directory below the start; `text` decodes bytes to text. */
  constructor(
    scope: CharsetScope,
    read: (directory: string) => string | undefined,
    text: (raw: string) => string,
  ) {
    this.#scope = scope;
    this.#given = new GivenCharsets(scope.rules, scope.directories);
    this.#read = read;
    this.#text = text;
    this.#above = scope.above.map(({ directory, text }) => configIn(directory, text));
  }

  /** The charset of a file in a directory below the start; both are in bytes. */
  of(directory: string, name: string): Charset | undefined {
    const chain = this.#chainOf(directory);
    if (chain.length === 0 && this.#given.isEmpty) return undefined;
    const path = `${this.#absolute(directory)}/${name}`;
    return this.#given.of(path) ?? charsetByConfigs(chain, this.#text(path));
  }

  #chainOf(directory: string): readonly ConfigAbove[] {
    const known = this.#chains.get(directory);
    if (known) return known;
    const parent = directory.slice(0, Math.max(0, directory.lastIndexOf('/')));
    const above = directory === '' ? this.#above : this.#chainOf(parent);
    const text = this.#read(directory);
    const own = text === undefined ? [] : [configIn(this.#text(this.#absolute(directory)), text)];
    // An .editorconfig without a charset matters only if it is the root.
    const chain = own.some(({ config }) => config.isRoot) ? own : [...own, ...above];
    if (this.#chains.size >= MOST_CHAINS) this.#chains.clear();
    this.#chains.set(directory, chain);
    return chain;
  }

  #absolute(directory: string): string {
    const start = this.#scope.path === '/' ? '' : this.#scope.path;
    return directory === '' ? start : `${start}/${directory}`;
  }
}

function configIn(directory: string, text: string): ConfigAbove {
  return {
    config: parseEditorConfig(text),
    below: directory === '/' || directory === '' ? 1 : directory.length + 1,
  };
}
