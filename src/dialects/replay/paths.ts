/** How replay reads paths. */

/** Replaces `~` at the start with the home directory. The engine understands every other path. */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? `${home}/${path.slice(2)}` : path;
}
