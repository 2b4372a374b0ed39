/** From a path to the place where it leads, for calls that the gate has let in to read. */
import type { How, PathAccess } from '../caller.ts';
import type { Place } from '../confine/place.ts';
import type { WalkOptions } from '../confine/wall.ts';
import { EngineFailure } from '../failures.ts';
import type { Access } from './access.ts';

/**
 * Resolves a path and uses the place; `facts` are reported of it besides its path. Whoever reads (`read`) must open the
 * file there before anything else.
 */
export type OpenPlace = <T>(
  path: string,
  how: How,
  use: (place: Place) => T | Promise<T>,
  facts?: (result: T) => Partial<PathAccess>,
) => Promise<T>;

/** What to do at a path, and what the caller hears of it. */
interface Opening<T> {
  path: string;
  how: How;
  use(place: Place): T | Promise<T>;
  facts: ((result: T) => Partial<PathAccess>) | undefined;
}

const FOLLOWED: WalkOptions = {};
const UNFOLLOWED: WalkOptions = { follow: false };

/**
 * Most names are no links, and opening a file tells when one is: then the careful way follows it. To look for a link
 * before each open would take a sixth of the time of a small read.
 */
export async function openPlace<T>(
  access: Access,
  opening: Opening<T>,
  options: WalkOptions = opening.how === 'read' ? UNFOLLOWED : FOLLOWED,
): Promise<T> {
  const { path, how, use, facts } = opening;
  try {
    const place = access.wall.resolve(path, options);
    try {
      const using = use(place);
      const result = using instanceof Promise ? await using : using;
      access.caller.touched({ path: place.path, how, ...facts?.(result) });
      return result;
    } finally {
      place.close();
    }
  } catch (error) {
    if (options === UNFOLLOWED && isUnstable(error)) return openPlace(access, opening, FOLLOWED);
    access.reportError(error, [path]);
    throw error;
  }
}

function isUnstable(error: unknown): boolean {
  return error instanceof EngineFailure && error.facts.kind === 'unstable';
}
