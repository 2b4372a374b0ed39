/** How many levels below the start of a walk a directory is. Its entries are one level deeper. */
export function depthOf(directory: string): number {
  return directory === '' ? 0 : directory.split('/').length;
}
