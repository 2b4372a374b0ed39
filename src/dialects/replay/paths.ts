/** How replay reads and shows paths. */

/** `~/` is the home directory; anything else goes to the engine as it is. */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? `${home}/${path.slice(2)}` : path;
}
