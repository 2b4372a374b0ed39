/** Follows a path name by name, as the system does, and notes each link on the way. */
import { join } from 'node:path';
import { targetOf } from '../probe-path.ts';
import { components, MOST_LINKS } from '../walk/path-components.ts';

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
    todo.unshift(...components(target));
    if (target.startsWith('/')) at = '/';
  }
  return { links, end: at };
}
