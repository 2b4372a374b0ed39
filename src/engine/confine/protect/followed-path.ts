/** Follows a path name by name, as the system does, and notes each link on the way. */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';

export interface OwnLink {
  /** Absolute; none of the directories in it is a link. */
  path: string;
  target: string;
}

export interface FollowedPath {
  links: OwnLink[];
  /** Where the path leads, with all links resolved, whether or not anything is there. */
  end: string;
}

/** No system follows more links than this in one path. */
const MOST_LINKS = 40;

/** `from`: an absolute path without links. */
export function followPath(from: string, names: readonly string[]): FollowedPath {
  const links: OwnLink[] = [];
  const todo = [...names];
  let at = from;
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    const here = join(at, name);
    const target = links.length < MOST_LINKS ? targetOf(here) : undefined;
    if (target === undefined) {
      at = here;
      continue;
    }
    links.push({ path: here, target });
    todo.unshift(...namesIn(target));
    if (target.startsWith('/')) at = '/';
  }
  return { links, end: at };
}

export function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

/** The target of a link; undefined when the path is not a link. */
export function targetOf(path: string): string | undefined {
  try {
    return isLink(path) ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

export function isLink(path: string): boolean {
  return statAt(path)?.isSymbolicLink() === true;
}

export function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
