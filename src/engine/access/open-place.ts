/** Resolves paths to places for calls that the gate has let in to read. */
import type { How, PathAccess } from '../caller.ts';
import type { Place } from '../confine/place.ts';
import type { WalkOptions } from '../confine/wall.ts';
import { EngineFailure } from '../failures.ts';
import type { Access } from './access.ts';

/**
 * Resolves a path and uses the place; `facts` gives what to report about it besides its path. A call that reads
 * (`read`) must open the file there before anything else.
 */
export type OpenPlace = <T>(
  path: string,
  how: How,
  use: (place: Place) => T | Promise<T>,
  facts?: (result: T) => Partial<PathAccess>,
) => T | Promise<T>;

/** What to do at a path, and what to report of it. */
interface Opening<T> {
  path: string;
  how: How;
  use(place: Place): T | Promise<T>;
  facts: ((result: T) => Partial<PathAccess>) | undefined;
}

const FOLLOWED: WalkOptions = {};
const UNFOLLOWED: WalkOptions = { follow: false };

/**
 * Opens a place without following a link at first: most names are not links, and opening a file tells if one is. Then a
 * second, careful walk follows it. Looking for a link before each open would take a sixth of the time of a small read.
 */
export function openPlace<T>(
  access: Access,
  opening: Opening<T>,
  options: WalkOptions = opening.how === 'read' ? UNFOLLOWED : FOLLOWED,
): T | Promise<T> {
  try {
    const place = access.wall.resolve(opening.path, options);
    let using: T | Promise<T> | undefined;
    try {
      using = opening.use(place);
      if (!(using instanceof Promise)) return reported(access, opening, place, using);
    } finally {
      if (!(using instanceof Promise)) place.close();
    }
    return whenUsed(access, opening, options, { place, using });
  } catch (error) {
    return followLinkOrThrow(access, opening, options, error);
  }
}

async function whenUsed<T>(
  access: Access,
  opening: Opening<T>,
  options: WalkOptions,
  { place, using }: { place: Place; using: Promise<T> },
): Promise<T> {
  try {
    try {
      return reported(access, opening, place, await using);
    } finally {
      place.close();
    }
  } catch (error) {
    return followLinkOrThrow(access, opening, options, error);
  }
}

function reported<T>(access: Access, { how, facts }: Opening<T>, { path }: Place, result: T): T {
  access.caller.touched(facts ? { path, how, ...facts(result) } : { path, how });
  return result;
}

/** Follows the link that is there, or reports the error and throws it. */
function followLinkOrThrow<T>(
  access: Access,
  opening: Opening<T>,
  options: WalkOptions,
  error: unknown,
): T | Promise<T> {
  if (options === UNFOLLOWED && isUnstable(error)) return openPlace(access, opening, FOLLOWED);
  access.reportError(error, [opening.path]);
  throw error;
}

function isUnstable(error: unknown): boolean {
  return error instanceof EngineFailure && error.facts.kind === 'unstable';
}
