/** Why a search cannot start where a glob starts: no such directory, a link that leads outside, no permission. */
import { EngineFailure, type FailureKind } from '../failures.ts';

export type MissingStart = 'nothing' | 'outside' | 'unreadable';

const MISSING: Partial<Record<FailureKind, MissingStart>> = {
  'not-found': 'nothing',
  'not-a-directory': 'nothing',
  outside: 'outside',
  permission: 'unreadable',
};

/** The result of the search, or why it could not start. */
export async function unlessMissing<T>(search: () => Promise<T>): Promise<T | MissingStart> {
  try {
    return await search();
  } catch (error) {
    const missing = error instanceof EngineFailure ? MISSING[error.facts.kind] : undefined;
    if (missing === undefined) throw error;
    return missing;
  }
}
