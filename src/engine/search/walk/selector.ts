/**
 * Decides which entries of a tree a walk takes: by globs, hidden names and ignore files. Paths are raw, see
 * confine/scan/raw-names.ts.
 */

import { childPath } from '../../confine/scan/child-path.ts';
import type { Listing } from '../../confine/scan/listing.ts';
import { textOf } from '../../confine/scan/raw-names.ts';
import type { IgnoreBase } from '../../glob/gitignore.ts';
import { compileGlobs, type GlobMatcher } from '../../glob/glob.ts';
import type { Selection } from '../query.ts';
import { ignoreFileNames, type ReadIgnoreFile } from './ignore-files.ts';
import { filtered, IgnoreRules } from './ignore-rules.ts';

export class Selector {
  readonly maxDepth: number;
  readonly #hidden: boolean;
  readonly #directories: ReadonlySet<string> | undefined;
  readonly #names: GlobMatcher | undefined;
  readonly #include: GlobMatcher | undefined;
  readonly #exclude: GlobMatcher | undefined;
  readonly #ignore: IgnoreRules | undefined;
  readonly #hasOnlyIgnoreRules: boolean;
  /** Whether there are no rules at all. */
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
    this.#hasOnlyIgnoreRules =
      this.#hidden && !this.#directories && !this.#names && !this.#include && !this.#exclude;
    this.takesAll = this.#hasOnlyIgnoreRules && !this.#ignore;
  }

  /** The entries of a directory that the walk takes, and the directories that it enters. */
  select(directory: string, listing: Listing): Listing {
    if (this.takesAll) return listing;
    const left = this.#ignore?.select(directory, listing) ?? listing;
    if (this.#hasOnlyIgnoreRules) return left;
    const parent = textOf(directory);
    return filtered(left, (name, type) =>
      type === 'directory' ? this.#entersUnlessIgnored(parent, name) : this.#takesUnlessIgnored(parent, name),
    );
  }

  /** Call this before `enters` or `takes` is called for the entries of a directory. */
  open(directory: string, names: readonly string[]): void {
    this.#ignore?.open(directory, names);
  }

  /** Whether the walk enters a directory. */
  enters(parent: string, name: string): boolean {
    if (this.takesAll) return true;
    return this.#entersUnlessIgnored(textOf(parent), name) && !this.#ignore?.ignores(parent, name, true);
  }

  /** `parent` is decoded, not raw: the caller decodes it only once for all entries of a directory. */
  #entersUnlessIgnored(parent: string, name: string): boolean {
    const own = textOf(name);
    if (!this.#isWanted(own) || this.#directories?.has(own)) return false;
    const path = childPath(parent, own);
    if (this.#exclude?.matches(path) || this.#exclude?.covers(path)) return false;
    return !this.#include || this.#include.mayContain(path);
  }

  /** Whether the walk takes a file, or anything else that is not a directory. */
  takes(parent: string, name: string): boolean {
    if (this.takesAll) return true;
    return this.#takesUnlessIgnored(textOf(parent), name) && !this.#ignore?.ignores(parent, name, false);
  }

  #takesUnlessIgnored(parent: string, name: string): boolean {
    const own = textOf(name);
    if (!this.#isWanted(own)) return false;
    if (this.#include && !this.#include.matchesIn(parent, own)) return false;
    return !this.#exclude?.matchesIn(parent, own);
  }

  #isWanted(name: string): boolean {
    return (this.#hidden || !name.startsWith('.')) && !this.#names?.matches(name);
  }
}

function nonEmpty<T>(
  list: readonly string[] | undefined,
  make: (list: readonly string[]) => T,
): T | undefined {
  return list && list.length > 0 ? make(list) : undefined;
}
