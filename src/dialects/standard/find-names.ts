/** Which names a pattern of search_files means. */
import { join } from 'node:path';
import type { ToolContext } from '../dialect.ts';
import { pathOf } from './paths.ts';

export interface NameSearch {
  path: string;
  pattern: string;
  excludePatterns: readonly string[];
  includeIgnored?: boolean;
}

export interface FoundNames {
  /** Absolute. */
  paths: string[];
  /** There is none, but ignore files name some. */
  areIgnored: boolean;
}

export async function findNames(args: NameSearch, context: ToolContext): Promise<FoundNames> {
  const { engine, signal } = context;
  const directory = (await engine.files.info(await pathOf(args.path, context))).path;
  const { includeIgnored = false, excludePatterns: exclude } = args;
  const find = async (ignoreFiles: boolean) => {
    const found = await engine.search.find(
      directory,
      { ...wanted(args.pattern), exclude, ignoreFiles },
      { signal },
    );
    const paths: string[] = [];
    for (const { path, type } of found.entries) {
      const full = join(directory, path);
      // A link that leads outside or nowhere is not listed.
      if (type !== 'symlink' || (await engine.files.peek(full))) paths.push(full);
    }
    return paths;
  };
  const paths = await find(!includeIgnored);
  return { paths, areIgnored: paths.length === 0 && !includeIgnored && (await find(false)).length > 0 };
}

/** A pattern without glob characters is a path, or a part of a name; brackets may be part of a name as well. */
function wanted(pattern: string): { globs: string[]; contains?: string } {
  const literal = pattern.replace(/[\\[\]{}*?]/g, '\\$&');
  if (!/[*?[{]/.test(pattern)) return { globs: [literal], contains: pattern };
  if (!/[[\]]/.test(pattern)) return { globs: [pattern] };
  const bracketsMeantAsSuch = pattern.replace(/[[\]]/g, '\\$&');
  const globs = [pattern, bracketsMeantAsSuch];
  return /[*?{]/.test(pattern) ? { globs } : { globs, contains: pattern };
}
