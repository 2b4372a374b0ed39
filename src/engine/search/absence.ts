/** Why a search found nothing where a glob starts: no such directory, a link that leads outside, no permission. */
import { EngineFailure, type FailureKind } from '../failures.ts';

export type Absence = 'nothing' | 'outside' | 'unreadable';

const ABSENCES: Partial<Record<FailureKind, Absence>> = {
  'not-found': 'nothing',
  'not-a-directory': 'nothing',
  outside: 'outside',
  permission: 'unreadable',
};

export async function unlessAbsent<T>(search: () => Promise<T>): Promise<T | Absence> {
  try {
    return await search();
  } catch (error) {
    const absence = error instanceof EngineFailure ? ABSENCES[error.facts.kind] : undefined;
    if (absence === undefined) throw error;
    return absence;
  }
}
