/** Explains why a search found nothing, if a filter is the cause. Only an empty search takes this extra second. */
import { join } from 'node:path';
import { EngineFailure } from '../engine/index.ts';
import type { ToolContext } from './dialect.ts';

const MAX_COUNTED = 20_000;
/** How long the second search, without the filter, may take. Tests on a busy machine give it longer. */
export const secondSearch: { timeoutMs: number } = { timeoutMs: 1000 };

type EngineSearch = ToolContext['engine']['search'];
type GlobQuery = Parameters<EngineSearch['glob']>[1];
type FileQuery = Omit<GlobQuery, 'globs' | 'max'>;

/** Files that globs choose below one directory. */
export interface FileSelection extends FileQuery {
  directory: string;
  globs: readonly string[];
}

export interface SearchFilter {
  /** What the explanation calls it: `the globs`, `the glob`. */
  name: string;
  chosen: readonly FileSelection[];
  /** The same search without the filter. */
  all: FileSelection;
  /** Globs that reach deeper, which the explanation suggests when they choose more. */
  wider?: { globs: readonly string[]; chosen: readonly FileSelection[] } | undefined;
}

/** The same search with fewer restrictions. */
export interface WiderSearch {
  /** Where nothing was found: `in this case of letters`. */
  bounds: string;
  /** How a call asks for more: `caseInsensitive: true`. */
  option: string;
  search(call: { signal: AbortSignal; timeoutMs: number }): Promise<{ matches: number }>;
}

/** Counts the files that at least one of the selections means, each file once, up to a cap. */
type CountFiles = (...selections: readonly FileSelection[]) => Promise<number>;

/** The `bounds` of a case-sensitive search. */
export const THIS_CASE = 'in this case of letters';

/** Adds a note when the filter is why no line matched, or when a wider search would match. */
export async function explainNoMatches(
  context: ToolContext,
  filter: SearchFilter | undefined,
  wider: readonly WiderSearch[],
): Promise<void> {
  if (filter) await explainEmpty(context, (count) => whatTheFilterChose(filter, count));
  for (const each of wider)
    if (await finds(each, context.signal))
      context.note(`[0 matches ${each.bounds}; ${each.option} finds some]`);
}

/** Adds a note with what `explain` finds out. The search has succeeded, so an explanation that fails is dropped. */
export async function explainEmpty(
  { engine, signal, note }: ToolContext,
  explain: (count: CountFiles) => Promise<string | undefined>,
): Promise<void> {
  const deadline = Date.now() + secondSearch.timeoutMs;
  const why = await unlessItFails(() =>
    explain(async (...selections) => {
      const files = new Set<string>();
      for (const { directory, ...query } of selections) {
        const timeoutMs = Math.max(1, deadline - Date.now());
        const found = await unlessNothing(() =>
          engine.search.glob(directory, { ...query, max: MAX_COUNTED + 1 }, { signal, timeoutMs }),
        );
        for (const { path } of found?.entries ?? []) files.add(join(directory, path));
      }
      return files.size;
    }),
  );
  if (why !== undefined) note(why);
}

/** The same glob at any depth: `*.ts` becomes `**\/*.ts`, `src/*.ts` becomes `src/**\/*.ts`. */
export function deeper(glob: string): string {
  const at = glob.lastIndexOf('/') + 1;
  const above = glob.slice(0, at);
  return above === '**/' || above.endsWith('/**/') ? glob : `${above}**/${glob.slice(at)}`;
}

/** `[0 matches; the globs chose 3 of 412 files; **\/*.ts would choose 371]`; undefined if it chose every file. */
async function whatTheFilterChose(filter: SearchFilter, count: CountFiles): Promise<string | undefined> {
  const all = await count(filter.all);
  const chosen = await count(...filter.chosen);
  if (chosen >= all) return undefined;
  const wider = await count(...(filter.wider?.chosen ?? []));
  const files = `${filter.name} chose ${counted(chosen)} of ${counted(all)} files`;
  const instead = wider > chosen ? `; ${filter.wider!.globs.join(', ')} would choose ${counted(wider)}` : '';
  return `[0 matches; ${files}${instead}]`;
}

async function finds({ search }: WiderSearch, signal: AbortSignal): Promise<boolean> {
  const found = await unlessItFails(() => search({ signal, ...secondSearch }));
  return found !== undefined && found.matches > 0;
}

const HOLDS_NOTHING: readonly string[] = ['not-found', 'not-a-directory', 'outside', 'denied', 'permission'];

/** Undefined where the glob begins with a directory that is missing or unreadable: it chooses nothing. */
async function unlessNothing<T>(search: () => Promise<T>): Promise<T | undefined> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof EngineFailure && HOLDS_NOTHING.includes(error.facts.kind)) return undefined;
    throw error;
  }
}

async function unlessItFails<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngineFailure && error.facts.kind !== 'cancelled') return undefined;
    throw error;
  }
}

function counted(files: number): string {
  return files > MAX_COUNTED ? `more than ${MAX_COUNTED}` : `${files}`;
}
