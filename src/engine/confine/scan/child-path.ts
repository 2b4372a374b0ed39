/** Puts the paths of directories and the names in them together. */

/** The path of an entry in a directory. Both paths are relative to the same start, whose own path is empty. */
export function childPath(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`;
}

/** The same for absolute paths: the start is `/`. `below` may have several names. */
export function absolutePath(directory: string, below: string): string {
  return directory === '/' ? `/${below}` : `${directory}/${below}`;
}
