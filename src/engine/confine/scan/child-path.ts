/** The path of an entry in a directory. Both paths are relative to the same start, whose own path is empty. */
export function childPath(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`;
}
