/** Suggests paths that a caller may have meant when nothing is at the path that it sent. */
import { EngineFailure } from '../../failures.ts';
import { nearNames } from '../../text/similar.ts';
import { isTemporary } from '../content/draft-names.ts';
import type { Dir } from '../directory/dir.ts';
import { textOf } from '../scan/raw-names.ts';
import type { WalkOptions, Wall } from '../wall.ts';

interface MissingName {
  /** The path as it was sent. */
  shown: string;
  name: string;
  /** Whether the owner lets clients see an entry. */
  isListed(name: string): boolean;
}

/** Entries of the same directory with a similar name, in the form of the path that was sent. */
export function similarPaths(dir: Dir, { shown, name, isListed }: MissingName): string[] {
  const end = shown.lastIndexOf(name);
  if (name === '' || end < 0) return [];
  try {
    const near = nearNames(name, firstNames(dir).filter(isListed));
    return near.map((each) => shown.slice(0, end) + each);
  } catch (error) {
    if (error instanceof EngineFailure) throw error;
    return [];
  }
}

/** How many names of a directory are compared at most. */
const MOST_NAMES = 5000;
/**
 * The names that were read last: one call may miss many names of one directory. They may be outdated, since they only
 * feed a guess.
 */
let lastRead: { state: string; names: readonly string[] } | undefined;

function firstNames(dir: Dir): readonly string[] {
  const { dev, ino, mtimeNs, ctimeNs } = dir.stat();
  const state = [dev, ino, mtimeNs, ctimeNs].join(':');
  if (lastRead?.state === state) return lastRead.names;
  const names: string[] = [];
  for (const batch of dir.rawNameBatches()) {
    for (const name of batch) if (!isTemporary(name, 'file')) names.push(textOf(name));
    if (names.length >= MOST_NAMES) break;
  }
  lastRead = { state, names };
  return names;
}

/**
 * Tries the rest of the path, or similar names, below each of the similar directories. If nothing is there, returns the
 * directories.
 */
export function existingBelow(
  wall: Pick<Wall, 'resolve'>,
  directories: readonly string[],
  rest: string,
  options: WalkOptions,
): readonly string[] {
  const guessed = options.isGuess ? directories.slice(0, 1) : directories;
  const { makeParents: _, onMake: __, ...looking } = options;
  const below = guessed.flatMap((each) => existing(wall, each + rest, { ...looking, isGuess: true }));
  return below.length > 0 ? below : guessed;
}

function existing(wall: Pick<Wall, 'resolve'>, path: string, options: WalkOptions): readonly string[] {
  try {
    const place = wall.resolve(path, options);
    try {
      place.mustExist('entry');
    } finally {
      place.close();
    }
    return [path];
  } catch (error) {
    const facts = error instanceof EngineFailure ? error.facts : undefined;
    return facts?.kind === 'not-found' ? facts.near.slice(0, 1) : [];
  }
}
