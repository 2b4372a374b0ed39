/** Finds the names that a pattern of search_files means. */
import { ITEMS_PER_CHECK, requireShortGlob, sortedInTurns, Yielder } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import { deeper, explainEmpty } from '../../empty-search.ts';
import { excludeGlobs, searchGlob, withLoneBrackets } from '../listing/patterns.ts';
import { pathOf } from '../paths.ts';

export interface NameSearch {
  path: string;
  pattern: string;
  excludePatterns: readonly string[];
  includeIgnored?: boolean;
}

export interface FoundNames {
  /** Absolute. */
  paths: string[];
  /** Nothing was found, but ignore files hide some matches. */
  areIgnored: boolean;
}

export async function findNames(args: NameSearch, context: ToolContext): Promise<FoundNames> {
  requireShortGlob(args.pattern);
  const negations = /^!*/.exec(args.pattern)![0].length;
  const names = wanted(args.pattern.slice(negations));
  if (negations % 2 === 1) return allExcept({ globs: names.globs }, args, context);
  return namesOf(negations > 0 ? { globs: names.globs } : names, args, context);
}

interface WantedNames {
  globs: string[];
  contains?: string;
}

async function namesOf(names: WantedNames, args: NameSearch, context: ToolContext): Promise<FoundNames> {
  const { engine, signal } = context;
  const directory = (await engine.files.info(await pathOf(args.path, context))).path;
  const { includeIgnored = false } = args;
  const exclude = excludeGlobs(args.excludePatterns);
  const find = async (ignoreFiles: boolean) => {
    const found = await engine.search.find(directory, { ...names, exclude, ignoreFiles }, { signal });
    const yielder = new Yielder(signal);
    const above = directory.endsWith('/') ? directory : `${directory}/`;
    const paths: string[] = [];
    for (const [index, { path, type }] of found.entries.entries()) {
      if (index % ITEMS_PER_CHECK === 0) await yielder.pause();
      const full = above + path;
      // Skips a link that leads outside or nowhere.
      if (type !== 'symlink' || (await engine.files.peek(full))) paths.push(full);
    }
    return sortedInTurns(paths, yielder, byComponents);
  };
  const paths = await find(!includeIgnored);
  return { paths, areIgnored: paths.length === 0 && !includeIgnored && (await find(false)).length > 0 };
}

/** Adds a note when the pattern reached only one level, or when excludePatterns left everything out. */
export async function explainNoNames(args: NameSearch, context: ToolContext): Promise<void> {
  if (args.pattern.startsWith('!')) return;
  const directory = (await context.engine.files.info(await pathOf(args.path, context))).path;
  const exclude = excludeGlobs(args.excludePatterns);
  const ignoreFiles = !args.includeIgnored;
  await explainEmpty(context, async (count) => {
    const { globs } = wanted(args.pattern);
    const excluded = exclude.length === 0 ? 0 : await count({ directory, globs, ignoreFiles });
    if (excluded > 0)
      return `[0 matches; excludePatterns left out all ${excluded} files that the pattern means]`;
    const wider = deeper(args.pattern);
    const more = await count({ directory, globs: wanted(wider).globs, exclude, ignoreFiles });
    return more > 0 ? `[0 matches; ${wider} would find ${more}]` : undefined;
  });
}

const SLASH = 0x2f;

/** Orders paths as a walk meets them: a directory, then what is in it. Makes no strings, as there may be many paths. */
function byComponents(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at === end ? one.length - other.length : rankAt(one, at) - rankAt(other, at);
}

/** A slash ends a name, so it sorts before every other character. */
function rankAt(path: string, at: number): number {
  const code = path.charCodeAt(at);
  return code === SLASH ? 0 : code;
}

/** Everything that `names` does not mean, for a pattern that begins with `!`. */
async function allExcept(names: WantedNames, args: NameSearch, context: ToolContext): Promise<FoundNames> {
  const all = await namesOf({ globs: ['**'] }, args, context);
  const meant = new Set((await namesOf(names, args, context)).paths);
  return { ...all, paths: all.paths.filter((path) => !meant.has(path)) };
}

/** Reads a pattern. Without glob characters it is a path or a part of a name; brackets may be part of a name, too. */
function wanted(pattern: string): WantedNames {
  const glob = searchGlob(pattern);
  if (glob === undefined) return { globs: [] };
  const literal = pattern.replace(/[\\[\]{}*?]/g, '\\$&');
  if (!/[*?[{]/.test(pattern)) return { globs: [literal], contains: pattern };
  if (!/[[\]]/.test(pattern)) return { globs: [glob] };
  const bracketsMeantAsSuch = withLoneBrackets(pattern.replace(/[[\]]/g, '\\$&'));
  const globs = [glob, bracketsMeantAsSuch];
  return /[*?{]/.test(pattern) ? { globs } : { globs, contains: pattern };
}
