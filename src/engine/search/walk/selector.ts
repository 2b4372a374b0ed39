/**
 * Which entries of a tree a walk takes: globs, hidden names, what git ignores. Paths come raw, see
 * confine/scan/raw-names.ts.
 */

import { type Cursor, readSmallFile } from '../../confine/scan/cursor.ts';
import { textOf } from '../../confine/scan/raw-names.ts';
import { type IgnoreBase, IgnoreChain } from '../../glob/gitignore.ts';
import { compileGlobs, type GlobMatcher } from '../../glob/glob.ts';
import type { Selection } from '../query.ts';

/** Reads the ignore files of these names in a directory of the tree, as one: a later one overrules an earlier one. */
export type ReadIgnoreFile = (directory: string, fileNames: readonly string[]) => string | undefined;

/** How many directories' ignore rules to remember. */
const MOST_CHAINS = 4096;

export class Selector {
  readonly maxDepth: number;
  readonly #hidden: boolean;
  readonly #directories: ReadonlySet<string> | undefined;
  readonly #names: GlobMatcher | undefined;
  readonly #include: GlobMatcher | undefined;
  readonly #exclude: GlobMatcher | undefined;
  readonly #ignore: IgnoreRules | undefined;
  /** Whether there is no rule at all. */
  readonly takesAll: boolean;

  constructor(selection: Selection, ignoreBase: IgnoreBase | undefined, readIgnoreFile: ReadIgnoreFile) {
    this.maxDepth = selection.maxDepth ?? Number.POSITIVE_INFINITY;
    this.#hidden = selection.hidden ?? true;
    this.#directories = nonEmpty(selection.excludedDirectories, (names) => new Set(names));
    this.#names = nonEmpty(selection.excludedNames, compileGlobs);
    this.#include = selection.include && compileGlobs(selection.include);
    this.#exclude = nonEmpty(selection.exclude, compileGlobs);
    const fileNames = ignoreFileNames(selection);
    const base = ignoreBase ?? { prefix: '', files: [], isIgnored: false };
    const isLifted = selection.ignoreFiles && base.isIgnored;
    this.#ignore =
      fileNames.length > 0 && !isLifted ? new IgnoreRules(base, fileNames, readIgnoreFile) : undefined;
    this.takesAll =
      this.#hidden && !this.#directories && !this.#names && !this.#include && !this.#exclude && !this.#ignore;
  }

  /** Must be called before asking about the entries of a directory. */
  open(directory: string, names: readonly string[]): void {
    this.#ignore?.open(directory, names);
  }

  /** Whether the walk goes into a directory. */
  enters(parent: string, name: string): boolean {
    if (this.takesAll) return true;
    const own = textOf(name);
    if (!this.#isWanted(own) || this.#directories?.has(own)) return false;
    const path = textOf(joined(parent, name));
    if (this.#exclude?.matches(path) || this.#exclude?.covers(path)) return false;
    if (this.#include && !this.#include.mayContain(path)) return false;
    return !(this.#ignore && (own === '.git' || this.#ignore.ignores(joined(parent, name), true)));
  }

  /** Whether a file, or anything else that is no directory, is taken. */
  takes(parent: string, name: string): boolean {
    if (this.takesAll) return true;
    const own = textOf(name);
    if (!this.#isWanted(own)) return false;
    const path = textOf(joined(parent, name));
    if (this.#include && !this.#include.matches(path)) return false;
    return !this.#exclude?.matches(path) && !this.#ignore?.ignores(joined(parent, name), false);
  }

  #isWanted(name: string): boolean {
    return (this.#hidden || !name.startsWith('.')) && !this.#names?.matches(name);
  }
}

class IgnoreRules {
  readonly #prefix: string;
  readonly #fileNames: readonly string[];
  readonly #top: IgnoreChain;
  readonly #readIgnoreFile: ReadIgnoreFile;
  readonly #chains = new Map<string, IgnoreChain>();
  #current: IgnoreChain;

  constructor({ prefix, files }: IgnoreBase, fileNames: readonly string[], readIgnoreFile: ReadIgnoreFile) {
    this.#prefix = prefix;
    this.#fileNames = fileNames;
    this.#readIgnoreFile = readIgnoreFile;
    this.#top = files.reduce((chain, { directory, text }) => chain.child(directory, text), IgnoreChain.empty);
    this.#current = this.#top;
  }

  open(directory: string, names: readonly string[]): void {
    const hasOwn = this.#fileNames.some((name) => names.includes(name));
    this.#current = this.#chainOf(directory, hasOwn);
  }

  ignores(path: string, isDirectory: boolean): boolean {
    return this.#current.ignores(this.#prefix + path, isDirectory);
  }

  /** Each directory's rules come on top of its parent's. */
  #chainOf(directory: string, mayHaveOwn: boolean): IgnoreChain {
    const known = this.#chains.get(directory);
    if (known) return known;
    const above = directory === '' ? this.#top : this.#chainOf(parentOf(directory), true);
    const text = mayHaveOwn ? this.#readIgnoreFile(directory, this.#fileNames) : undefined;
    const chain =
      text === undefined ? above : above.child((this.#prefix + directory).replace(/\/$/, ''), text);
    if (this.#chains.size >= MOST_CHAINS) this.#chains.clear();
    this.#chains.set(directory, chain);
    return chain;
  }
}

/** In bytes: no real ignore file is longer. */
const LONGEST_IGNORE_FILE: number = 1 << 20;

export function ignoreFileNames({ gitignore, ignoreFiles }: Selection): readonly string[] {
  if (ignoreFiles) return ['.gitignore', '.ignore'];
  return gitignore ? ['.gitignore'] : [];
}

export function ignoreFileReader(cursor: Cursor): ReadIgnoreFile {
  return (directory, fileNames) => readIgnoreFiles(cursor, directory, fileNames);
}

export function readIgnoreFiles(
  cursor: Cursor,
  directory: string,
  fileNames: readonly string[],
): string | undefined {
  if (cursor.goTo(directory)) return undefined;
  const texts = fileNames.flatMap(
    (name) => readSmallFile(cursor, name, LONGEST_IGNORE_FILE)?.toString('latin1') ?? [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

export function joined(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`;
}

function parentOf(directory: string): string {
  return directory.slice(0, Math.max(0, directory.lastIndexOf('/')));
}

function nonEmpty<T>(
  list: readonly string[] | undefined,
  make: (list: readonly string[]) => T,
): T | undefined {
  return list && list.length > 0 ? make(list) : undefined;
}
