/**
 * Resolves a path of the journal. The journal writes paths down with all links resolved, so this follows no link: one
 * that is there now leads to something else.
 */
import { dirname } from 'node:path';
import type { Access } from '../access/access.ts';
import type { Stat } from '../confine/directory/dir.ts';
import type { Place } from '../confine/place.ts';
import { STRAIGHT } from '../confine/wall.ts';
import { EngineFailure, fail } from '../failures.ts';

/** Something on the way to a path that keeps the undo from reaching it. */
export interface Barrier {
  path: string;
  why: string;
  /** Whether what the undo looks for may still exist behind it. */
  hides: boolean;
}

/** Has neither a place nor a barrier when the parent directory is gone. */
export interface ReachedPath {
  place?: Place;
  barrier?: Barrier;
}

const ATTEMPTS = 16;

/** Resolves a path, or says what blocks it. The caller closes the place. */
export function reach(access: Access, path: string): ReachedPath {
  // What blocks the path may be moved away before it is examined. Then what is behind it may still be there: try again.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const reached = tryToReach(access, path);
    if (reached) return reached;
  }
  return { barrier: { path, why: REASONS.unstable!, hides: true } };
}

/** Undefined when something on the way was moved meanwhile. */
function tryToReach(access: Access, path: string): ReachedPath | undefined {
  try {
    return { place: access.wall.resolve(path, STRAIGHT) };
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const { kind } = error.facts;
    if (kind === 'not-found') return {};
    if (kind === 'not-a-directory') return barredAbove(access, path);
    return {
      barrier: { path, why: REASONS[kind] ?? `its directory cannot be entered (${kind})`, hides: true },
    };
  }
}

const REASONS: Partial<Record<string, string>> = {
  outside: 'it is outside the directories that are served',
  permission: 'its directory may not be entered',
  unstable: 'its directory is being moved at this moment',
};

/** The nearest thing above the path that is not a directory. */
function barredAbove(access: Access, path: string): ReachedPath | undefined {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    const place = placeOrUndefined(access, above);
    try {
      const now = place?.lstat();
      if (place && now && now.type !== 'directory') return { barrier: barrierAt(place, now) };
    } finally {
      place?.close();
    }
  }
  return undefined;
}

function placeOrUndefined(access: Access, path: string): Place | undefined {
  try {
    return access.wall.resolve(path, STRAIGHT);
  } catch (error) {
    if (error instanceof EngineFailure) return undefined;
    throw error;
  }
}

function barrierAt({ path, dir, name }: Place, { type }: Stat): Barrier {
  if (type !== 'symlink') {
    return { path, why: `${path} is now a ${type}, not a directory: move it away first`, hides: false };
  }
  let target = 'elsewhere';
  try {
    target = `to ${dir.readlink(name)}`;
  } catch {
    // The link has just disappeared: it is enough to say that there was one.
  }
  const why = `${path} is now a link ${target}, and links are not followed: put the directory back in its place first`;
  return { path, why, hides: true };
}

/** Runs a step of an undo. The plan could reach the path, so what blocks it now came meanwhile. */
export async function asChangedMeanwhile<T>(path: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const barred = error instanceof EngineFailure && error.facts.kind === 'not-a-directory';
    if (barred) fail({ kind: 'changed-meanwhile', path }, error);
    throw error;
  }
}
