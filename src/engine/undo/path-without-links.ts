/**
 * The way to a path of the journal. Such paths had no links on them when they were written down, so none is
 * followed: a link that is there now leads to something else.
 */
import { dirname } from 'node:path';
import type { Access } from '../access/access.ts';
import type { Stat } from '../confine/directory/dir.ts';
import type { Place } from '../confine/place.ts';
import { STRAIGHT } from '../confine/wall.ts';
import { EngineFailure, fail } from '../failures.ts';

/** What stands on the way, and why it keeps from going on. */
export interface Barrier {
  path: string;
  why: string;
  /** Whether what is looked for may lie behind it. */
  hides: boolean;
}

/** Neither, when its parent directory is gone. */
export interface Way {
  place?: Place;
  barrier?: Barrier;
}

const MOST_LOOKS = 16;

/** As far as a path of the journal can be reached. The caller closes the place. */
export function reach(access: Access, path: string): Way {
  // What stood in the way may have moved before it was looked at: that does not make the rest of it gone.
  for (let look = 0; look < MOST_LOOKS; look++) {
    const way = lookFor(access, path);
    if (way) return way;
  }
  return { barrier: { path, why: WORDS.unstable!, hides: true } };
}

/** Undefined when something moved while it was looked for. */
function lookFor(access: Access, path: string): Way | undefined {
  try {
    return { place: access.wall.resolve(path, STRAIGHT) };
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const { kind } = error.facts;
    if (kind === 'not-found') return {};
    if (kind === 'not-a-directory') return barredAbove(access, path);
    return {
      barrier: { path, why: WORDS[kind] ?? `its directory cannot be entered (${kind})`, hides: true },
    };
  }
}

const WORDS: Partial<Record<string, string>> = {
  outside: 'it is outside the directories that are served',
  permission: 'its directory may not be entered',
  unstable: 'its directory is being moved at this moment',
};

/** The nearest thing above that is no directory. */
function barredAbove(access: Access, path: string): Way | undefined {
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
    // It has gone in this moment: that it was one is enough to be said.
  }
  const why = `${path} is now a link ${target}, and links are not followed: put the directory back in its place first`;
  return { path, why, hides: true };
}

/** The end of a step of an undo. That its way was free has been looked at before. */
export async function asChangedMeanwhile<T>(path: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const barred = error instanceof EngineFailure && error.facts.kind === 'not-a-directory';
    if (barred) fail({ kind: 'changed-meanwhile', path }, error);
    throw error;
  }
}
