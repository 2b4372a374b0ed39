/**
 * Decides whether the owner of the server withholds a path. Denied: the name is listed, and no call opens it. Hidden:
 * for every tool, the name does not exist.
 *
 * Globs read as in .gitignore, relative to each given directory. A path in two given directories, one inside the other,
 * is withheld when the rules of either say so. Paths are raw (see scan/raw-names.ts) and have all links resolved.
 */
import { IgnoreChain } from '../../glob/gitignore.ts';
import { absolutePath } from '../scan/child-path.ts';
import { textOf } from '../scan/raw-names.ts';
import { composed, folded, IGNORES_CASE, otherCase } from './name-forms.ts';
import { IGNORE_FILE } from './owner-files.ts';

export type Verdict = 'denied' | 'hidden';

/** Plain data, so that it can be sent to another thread. Lines are bytes, one character for each. */
export interface WithheldRules {
  readonly deny: readonly string[];
  readonly hide: readonly string[];
  readonly directories: readonly RuledDirectory[];
}

export interface RuledDirectory {
  /** Raw, absolute, with all links resolved. */
  readonly path: string;
  /** The text of its .cofferdamignore; undefined when it has none. */
  readonly ignoreFile: string | undefined;
}

/** Whether two raw names lead to the same entry of the directory in question. */
export type IsSameEntry = (name: string, other: string) => boolean;

export class Withheld {
  readonly rules: WithheldRules;
  readonly #asWritten: RuleSet;
  readonly #anyCase: RuleSet;
  /** Whether both rule sets agree about every path in lower case. */
  readonly #isLowerCase: boolean;

  constructor(rules: WithheldRules) {
    this.rules = rules;
    this.#asWritten = new RuleSet(rules, { line: composed, path: composed });
    this.#anyCase = new RuleSet(rules, { line: inAnyCase, path: folded });
    const ignoreFiles = rules.directories.map(({ ignoreFile = '' }) => ignoreFile);
    const lines = [...rules.deny, ...rules.hide, ...ignoreFiles];
    this.#isLowerCase = lines.every((line) => inAnyCase(line) === composed(line));
  }

  /** One phrase for `doctor`. */
  get says(): string {
    const { deny, hide, directories } = this.rules;
    const files = directories.filter(({ ignoreFile }) => ignoreFile !== undefined);
    const parts = [
      ...(deny.length > 0 ? [`denied: ${deny.map(textOf).join(' ')}`] : []),
      ...(hide.length > 0 ? [`hidden: ${hide.map(textOf).join(' ')}`] : []),
      ...files.map(({ path }) => `hidden: what ${textOf(path)}/${IGNORE_FILE} names`),
    ];
    return parts.join('; ');
  }

  /** The verdict on a name in a directory that is not withheld itself. */
  verdictOnName(
    parent: string,
    name: string,
    isDirectory: boolean,
    isSame: IsSameEntry,
  ): Verdict | undefined {
    const path = absolutePath(parent, name);
    const verdict = this.#asWritten.of(path, isDirectory);
    if (verdict !== undefined) return verdict;
    const inAnyCase = this.#inAnyCase(path, isDirectory);
    if (inAnyCase === undefined) return undefined;
    const other = otherCase(name);
    const ignoresCase = other === undefined ? IGNORES_CASE : isSame(name, other);
    return ignoresCase ? inAnyCase : undefined;
  }

  /** The verdict by the text of a path alone, for a path that may no longer be on the disk. */
  verdictOnPath(path: string, isDirectory: boolean): Verdict | undefined {
    for (let end = path.indexOf('/', 1); ; end = path.indexOf('/', end + 1)) {
      const isLast = end < 0;
      const above = isLast ? path : path.slice(0, end);
      const asDirectory = !isLast || isDirectory;
      const verdict =
        this.#asWritten.of(above, asDirectory) ??
        (IGNORES_CASE ? this.#inAnyCase(above, asDirectory) : undefined);
      if (verdict !== undefined || isLast) return verdict;
    }
  }

  #inAnyCase(path: string, isDirectory: boolean): Verdict | undefined {
    if (this.#isLowerCase && folded(path) === path) return undefined;
    return this.#anyCase.of(path, isDirectory);
  }
}

/** The glob for paths that are folded to lower case. */
function inAnyCase(line: string): string {
  return folded(line).replaceAll(/\[:(upper|lower):\]/g, '[:alpha:]');
}

/** How lines and paths are normalised before they are compared. */
interface Forms {
  line(raw: string): string;
  path(raw: string): string;
}

/** All rules of all directories, with lines and paths in one form. */
class RuleSet {
  readonly #formed: (path: string) => string;
  readonly #directories: { prefix: string; lists: { verdict: Verdict; chain: IgnoreChain }[] }[];

  constructor({ deny, hide, directories }: WithheldRules, forms: Forms) {
    this.#formed = forms.path;
    // Each list decides by itself: what one of them takes back, another one may still withhold.
    const list = (verdict: Verdict, text: string) => ({
      verdict,
      chain: IgnoreChain.empty.child('', forms.line(text)),
    });
    const [hidden, denied] = [list('hidden', hide.join('\n')), list('denied', deny.join('\n'))];
    this.#directories = directories.map(({ path, ignoreFile }) => ({
      prefix: path === '/' ? path : `${path}/`,
      lists: [
        hidden,
        denied,
        ...(ignoreFile === undefined ? [] : [list('hidden', ignoreFile), list('denied', `/${IGNORE_FILE}`)]),
      ],
    }));
  }

  /** Hidden wins over denied, so that the name does not reveal that there is something to deny. */
  of(path: string, isDirectory: boolean): Verdict | undefined {
    let found: Verdict | undefined;
    for (const { prefix, lists } of this.#directories) {
      if (!path.startsWith(prefix)) continue;
      const below = path.slice(prefix.length);
      if (below === '') continue;
      const formed = this.#formed(below);
      for (const { verdict, chain } of lists) {
        // A name that is not UTF-8 has no other form, so the globs must also see it unchanged.
        const matches =
          chain.ignores(formed, isDirectory) || (formed !== below && chain.ignores(below, isDirectory));
        if (!matches) continue;
        if (verdict === 'hidden') return verdict;
        found = verdict;
      }
    }
    return found;
  }
}
