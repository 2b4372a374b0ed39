/**
 * Decides which files git would ignore, by the .gitignore files between the repository's root and the file.
 *
 * A chain grows by one link for each directory on the way down. As with git, the deepest .gitignore file with a
 * matching line decides, by the last of its lines that matches; and a walk does not enter an ignored directory, so no
 * rule can include anything in it again. Texts and paths are raw: one character for each byte, see
 * confine/scan/raw-names.ts.
 */
import { type IgnoreRule, parseIgnoreLine } from './ignore-pattern.ts';
import { GLOBSTAR, matchPath, type Segment } from './path-glob.ts';

/** The ignore files above the directory that is searched, outermost first. Paths and texts are raw. */
export interface IgnoreBase {
  /** The directory's own path below the top of the repository, empty or ending in `/`. */
  prefix: string;
  files: readonly { directory: string; text: string }[];
  /** Whether the files above ignore the directory, or one that contains it. */
  isIgnored: boolean;
}

interface NumberedRule extends IgnoreRule {
  /** The line number: of two rules that match, the later one decides. */
  readonly order: number;
  /** For a rule about paths: a name that every matching path contains, if there is one. */
  readonly requiredName: string | undefined;
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
   * This chain with one more .gitignore file, which overrules the others. Its directory is relative to the root of the
   * repository, `''` for the root itself. The rules of .git/info/exclude are added for the root too, before any others.
   */
  child(dirRelative: string, gitignoreText: string): IgnoreChain {
    const rules = parseRules(gitignoreText);
    if (rules.length === 0) return this;
    return new IgnoreChain(this, new IgnoreRuleSet(dirRelative, rules));
  }

  /**
   * Whether git ignores a path, which is relative to the root and uses `/`. The caller has checked that no directory
   * of the path is ignored. A link is not a directory, whatever it points to.
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

function parseRules(text: string): NumberedRule[] {
  const rules: NumberedRule[] = [];
  const lines = text.replace(/^\xef\xbb\xbf/, '').split('\n');
  for (const [order, line] of lines.entries()) {
    const rule = parseIgnoreLine(line);
    if (rule !== undefined) rules.push({ ...rule, order, requiredName: requiredNameOf(rule) });
  }
  return rules;
}

function requiredNameOf({ about }: IgnoreRule): string | undefined {
  if ('name' in about) return undefined;
  return about.path.flatMap((segment) => (segment === GLOBSTAR ? [] : (segment.literal ?? [])))[0];
}

/**
 * The rules of one file, indexed by what a name must be, or begin or end with, for the rule to match at all. So each
 * name is compared with only the few rules that could match it.
 */
class IgnoreRuleSet {
  readonly #base: string;
  /** Every list has the latest rule first. A rule with a `/` is indexed by its last name, if that is a literal. */
  readonly #byName = new Map<string, NumberedRule[]>();
  readonly #byExtension = new Map<string, NumberedRule[]>();
  readonly #byPath = new Map<string, NumberedRule[]>();
  readonly #byFirstCharacter = new Map<number, NumberedRule[]>();
  readonly #byLastCharacter = new Map<number, NumberedRule[]>();
  readonly #others: NumberedRule[] = [];

  constructor(dirRelative: string, rules: readonly NumberedRule[]) {
    this.#base = dirRelative === '' ? '' : `${dirRelative}/`;
    for (const rule of [...rules].reverse()) this.#index(rule);
  }

  lastMatch(path: string, isDirectory: boolean): NumberedRule | undefined {
    if (!path.startsWith(this.#base)) return undefined;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const below = path.slice(this.#base.length);
    const dot = name.lastIndexOf('.');
    let last = laterApplicable(undefined, this.#byPath.get(below), isDirectory);
    if (dot >= 0) last = laterApplicable(last, this.#byExtension.get(name.slice(dot)), isDirectory);
    const tried = { name, below, isDirectory };
    last = laterMatching(last, this.#byName.get(name), tried);
    last = laterMatching(last, this.#byFirstCharacter.get(name.charCodeAt(0)), tried);
    last = laterMatching(last, this.#byLastCharacter.get(name.charCodeAt(name.length - 1)), tried);
    return laterMatching(last, this.#others, tried);
  }

  #index(rule: NumberedRule): void {
    const { about } = rule;
    if ('path' in about) {
      const names = about.path.map((segment) => (segment === GLOBSTAR ? undefined : segment.literal));
      if (!names.includes(undefined)) add(this.#byPath, names.join('/'), rule);
      else this.#indexByName(about.path.at(-1)!, rule);
    } else if (about.name.extension !== undefined) add(this.#byExtension, about.name.extension, rule);
    else this.#indexByName(about.name, rule);
  }

  #indexByName(name: Segment, rule: NumberedRule): void {
    if (name === GLOBSTAR) this.#others.push(rule);
    else if (name.literal !== undefined) add(this.#byName, name.literal, rule);
    else if (name.begins) add(this.#byFirstCharacter, name.begins.charCodeAt(0), rule);
    else if (name.ends) add(this.#byLastCharacter, name.ends.charCodeAt(name.ends.length - 1), rule);
    else this.#others.push(rule);
  }
}

function add<K>(lists: Map<K, NumberedRule[]>, key: K, rule: NumberedRule): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [rule]);
  else list.push(rule);
}

/**
 * The later of two rules: one that is known to match, and the first of a list that applies. The caller found the list
 * by an exact path or extension, so only `directoryOnly` is left to check.
 */
function laterApplicable(
  known: NumberedRule | undefined,
  list: readonly NumberedRule[] | undefined,
  isDirectory: boolean,
): NumberedRule | undefined {
  const found = list?.find((rule) => isDirectory || !rule.directoryOnly);
  if (found === undefined) return known;
  return known === undefined || found.order > known.order ? found : known;
}

interface TriedPath {
  readonly name: string;
  /** The path relative to the directory of the rules. */
  readonly below: string;
  readonly isDirectory: boolean;
}

/** The later of two rules: one that is known to match, and the first of a list whose pattern matches. */
function laterMatching(
  known: NumberedRule | undefined,
  list: readonly NumberedRule[] | undefined,
  tried: TriedPath,
): NumberedRule | undefined {
  if (list === undefined) return known;
  for (const rule of list) {
    if (known !== undefined && rule.order < known.order) return known;
    if (rule.directoryOnly && !tried.isDirectory) continue;
    if (matches(rule, tried)) return rule;
  }
  return known;
}

function matches({ about, requiredName }: NumberedRule, { name, below }: TriedPath): boolean {
  if ('name' in about) return about.name.matches(name);
  if (requiredName !== undefined && !below.includes(requiredName)) return false;
  return matchPath(about.path, about.path.length, below.split('/'));
}
