/** Why a search found nothing where a glob starts: no such directory, a link that leads outside, no permission. */
import { EngineFailure, type FailureKind } from '../failures.ts';

export type MissingStart = 'nothing' | 'outside' | 'unreadable';

const MISSING: Partial<Record<FailureKind, MissingStart>> = {
  'not-found': 'nothing',
  'not-a-directory': 'nothing',
  outside: 'outside',
  permission: 'unreadable',
};

export async function unlessMissing<T>(search: () => Promise<T>): Promise<T | MissingStart> {
  try {
    return await search();
  } catch (error) {
    const missing = error instanceof EngineFailure ? MISSING[error.facts.kind] : undefined;
    if (missing === undefined) throw error;
    return missing;
  }
}
