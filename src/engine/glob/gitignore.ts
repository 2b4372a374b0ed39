/**
 * Which files git would ignore, by the .gitignore files between the repository's root and the file.
 *
 * A chain grows by one link for each directory on the way down. As with git, the deepest file that says
 * anything about a path decides, by the last of its lines that matches; and a walk does not enter a directory
 * that is ignored, so no rule can include anything in it again. Texts and paths are bytes, one character for each, as
 * in confine/raw-names.ts.
 */
import { type IgnoreRule, parseIgnoreLine } from './ignore-pattern.ts';
import { GLOBSTAR, matchPath, type Segment } from './path-glob.ts';

/** The ignore files above the directory that is searched, outermost first: paths and texts as bytes. */
export interface IgnoreBase {
  /** The directory's own path below the top of the repository, empty or ending in `/`. */
  prefix: string;
  files: readonly { directory: string; text: string }[];
  /** The directory is inside what the files above it name. */
  isIgnored: boolean;
}

interface Numbered extends IgnoreRule {
  /** The later of two rules decides. */
  readonly order: number;
  /** For a rule about paths: a name that every path that matches has in it, when there is one. */
  readonly within: string | undefined;
}

export class IgnoreChain {
  static readonly empty = new IgnoreChain(undefined, undefined);

  readonly #parent: IgnoreChain | undefined;
  readonly #rules: IgnoreRuleSet | undefined;

  private constructor(parent: IgnoreChain | undefined, rules: IgnoreRuleSet | undefined) {
    this.#parent = parent;
    this.#rules = rules;
  }

  /**
   * The chain with one more file in front. The directory is relative to the root of the repository, `''` for
   * the root itself: that also takes the rules of .git/info/exclude, when they are given first.
   */
  child(dirRelative: string, gitignoreText: string): IgnoreChain {
    const rules = parseRules(gitignoreText);
    if (rules.length === 0) return this;
    return new IgnoreChain(this, new IgnoreRuleSet(dirRelative, rules));
  }

  /**
   * What git says about one path, relative to the root and with `/`, whose directories are not ignored
   * themselves. A link is not a directory, whatever it leads to.
   */
  ignores(path: string, isDirectory: boolean): boolean {
    if (this.#rules === undefined) return false;
    for (let link: IgnoreChain | undefined = this; link !== undefined; link = link.#parent) {
      const rule = link.#rules?.lastMatch(path, isDirectory);
      if (rule !== undefined) return !rule.negated;
    }
    return false;
  }
}

function parseRules(text: string): Numbered[] {
  const rules: Numbered[] = [];
  const lines = text.replace(/^\xef\xbb\xbf/, '').split('\n');
  for (const [order, line] of lines.entries()) {
    const rule = parseIgnoreLine(line);
    if (rule !== undefined) rules.push({ ...rule, order, within: nameWithin(rule) });
  }
  return rules;
}

function nameWithin({ about }: IgnoreRule): string | undefined {
  if ('name' in about) return undefined;
  return about.path.flatMap((segment) => (segment === GLOBSTAR ? [] : (segment.literal ?? [])))[0];
}

/**
 * The rules of one file. Each is filed under what a name must be, or begin or end with, for the rule to match at all;
 * so a name is tried only by the few rules that it could match.
 */
class IgnoreRuleSet {
  readonly #base: string;
  /** All lists have the latest rule first. Rules with a `/` are filed by their last name, if that is a literal. */
  readonly #byName = new Map<string, Numbered[]>();
  readonly #byExtension = new Map<string, Numbered[]>();
  readonly #byPath = new Map<string, Numbered[]>();
  readonly #byFirst = new Map<number, Numbered[]>();
  readonly #byLast = new Map<number, Numbered[]>();
  readonly #others: Numbered[] = [];

  constructor(dirRelative: string, rules: readonly Numbered[]) {
    this.#base = dirRelative === '' ? '' : `${dirRelative}/`;
    for (const rule of [...rules].reverse()) this.#file(rule);
  }

  lastMatch(path: string, isDirectory: boolean): Numbered | undefined {
    if (!path.startsWith(this.#base)) return undefined;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const below = path.slice(this.#base.length);
    const dot = name.lastIndexOf('.');
    let last = later(undefined, this.#byPath.get(below), isDirectory);
    if (dot >= 0) last = later(last, this.#byExtension.get(name.slice(dot)), isDirectory);
    const tried = { name, below, isDirectory };
    last = latest(last, this.#byName.get(name), tried);
    last = latest(last, this.#byFirst.get(name.charCodeAt(0)), tried);
    last = latest(last, this.#byLast.get(name.charCodeAt(name.length - 1)), tried);
    return latest(last, this.#others, tried);
  }

  #file(rule: Numbered): void {
    const { about } = rule;
    if ('path' in about) {
      const names = about.path.map((segment) => (segment === GLOBSTAR ? undefined : segment.literal));
      if (!names.includes(undefined)) add(this.#byPath, names.join('/'), rule);
      else this.#fileByName(about.path.at(-1)!, rule);
    } else if (about.name.extension !== undefined) add(this.#byExtension, about.name.extension, rule);
    else this.#fileByName(about.name, rule);
  }

  #fileByName(name: Segment, rule: Numbered): void {
    if (name === GLOBSTAR) this.#others.push(rule);
    else if (name.literal !== undefined) add(this.#byName, name.literal, rule);
    else if (name.begins) add(this.#byFirst, name.begins.charCodeAt(0), rule);
    else if (name.ends) add(this.#byLast, name.ends.charCodeAt(name.ends.length - 1), rule);
    else this.#others.push(rule);
  }
}

function add<K>(lists: Map<K, Numbered[]>, key: K, rule: Numbered): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [rule]);
  else list.push(rule);
}

/** The later of a rule that matches and the first of a list that applies. */
function later(
  known: Numbered | undefined,
  list: readonly Numbered[] | undefined,
  isDirectory: boolean,
): Numbered | undefined {
  const found = list?.find((rule) => isDirectory || !rule.directoryOnly);
  if (found === undefined) return known;
  return known === undefined || found.order > known.order ? found : known;
}

interface Tried {
  readonly name: string;
  /** The path from the directory of the rules on. */
  readonly below: string;
  readonly isDirectory: boolean;
}

/** The later of a rule that matches and the first of a list that does. */
function latest(
  known: Numbered | undefined,
  list: readonly Numbered[] | undefined,
  tried: Tried,
): Numbered | undefined {
  if (list === undefined) return known;
  for (const rule of list) {
    if (known !== undefined && rule.order < known.order) return known;
    if (rule.directoryOnly && !tried.isDirectory) continue;
    if (matches(rule, tried)) return rule;
  }
  return known;
}

function matches({ about, within }: Numbered, { name, below }: Tried): boolean {
  if ('name' in about) return about.name.matches(name);
  if (within !== undefined && !below.includes(within)) return false;
  return matchPath(about.path, about.path.length, below.split('/'));
}
