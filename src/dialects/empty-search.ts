/** Why a search found nothing, when a filter is the cause: counted only then, and only for a moment. */
import { EngineFailure } from '../engine/index.ts';
import type { ToolContext } from './dialect.ts';

const MOST_COUNTED = 20_000;
const LONGEST_MS = 1000;
/** For a second look at what an empty search left out. */
export const MOMENT = { timeoutMs: LONGEST_MS } as const;

type Search = ToolContext['engine']['search'];
type GlobQuery = Parameters<Search['glob']>[1];
type FileQuery = Omit<GlobQuery, 'globs' | 'max'>;

/** Files that globs choose below one directory. */
export interface Choice extends FileQuery {
  directory: string;
  globs: readonly string[];
}

export interface Filtered {
  /** What the filter chose. */
  chosen: readonly Choice[];
  /** The same search without its filter. */
  all: Choice;
  /** The filter's name in the call: `the globs`, `the glob`. */
  filter: string;
  /** Globs that reach deeper, to be suggested when they choose more. */
  wider?: { globs: readonly string[]; chosen: readonly Choice[] } | undefined;
}

/** `[0 matches; the globs chose 3 of 412 files; **\/*.ts would choose 371]`; nothing when the filter left out no file. */
export function whyNoMatches(context: ToolContext, filtered: Filtered): Promise<string | undefined> {
  return inAMoment(context, async (count) => {
    const all = await count(filtered.all);
    const sum = async (choices: readonly Choice[]) => {
      let files = 0;
      for (const choice of choices) files += await count(choice);
      return files;
    };
    const chosen = await sum(filtered.chosen);
    if (chosen >= all) return undefined;
    const wider = await sum(filtered.wider?.chosen ?? []);
    const files = `${filtered.filter} chose ${told(chosen)} of ${told(all)} files`;
    const instead = wider > chosen ? `; ${filtered.wider!.globs.join(', ')} would choose ${told(wider)}` : '';
    return `[0 matches; ${files}${instead}]`;
  });
}

const HOLDS_NOTHING: readonly string[] = ['not-found', 'not-a-directory', 'outside', 'permission'];

type Count = (choice: Choice) => Promise<number>;

/** What takes longer than a moment, or fails, is not told: the search itself was answered. */
export async function inAMoment(
  { engine, signal }: ToolContext,
  explain: (count: Count) => Promise<string | undefined>,
): Promise<string | undefined> {
  const until = Date.now() + LONGEST_MS;
  try {
    return await explain(async ({ directory, ...query }) => {
      const timeoutMs = Math.max(1, until - Date.now());
      try {
        const { entries } = await engine.search.glob(
          directory,
          { ...query, max: MOST_COUNTED + 1 },
          { signal, timeoutMs },
        );
        return entries.length;
      } catch (error) {
        // A glob may begin with a directory that is not there: it chooses nothing.
        if (error instanceof EngineFailure && HOLDS_NOTHING.includes(error.facts.kind)) return 0;
        throw error;
      }
    });
  } catch (error) {
    if (error instanceof EngineFailure && error.facts.kind !== 'cancelled') return undefined;
    throw error;
  }
}

/** The same glob at any depth: `*.ts` becomes `**\/*.ts`, `src/*.ts` becomes `src/**\/*.ts`. */
export function deeper(glob: string): string {
  const at = glob.lastIndexOf('/') + 1;
  const above = glob.slice(0, at);
  return above === '**/' || above.endsWith('/**/') ? glob : `${above}**/${glob.slice(at)}`;
}

/** Whether the search finds something when the case of letters does not count. */
export async function findsInAnyCase(
  signal: AbortSignal,
  search: (call: { signal: AbortSignal; timeoutMs: number }) => Promise<{ matches: number }>,
): Promise<boolean> {
  try {
    return (await search({ signal, timeoutMs: LONGEST_MS })).matches > 0;
  } catch (error) {
    if (error instanceof EngineFailure && error.facts.kind !== 'cancelled') return false;
    throw error;
  }
}

function told(count: number): string {
  return count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : `${count}`;
}
