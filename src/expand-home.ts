/** Replaces `~` at the start of a path with the home directory, as a shell does. */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? home.replace(/\/$/, '') + path.slice(1) : path;
}
