/**
 * A worker runs many test files and keeps the modules of the sources between them. The files named here look at what
 * a module remembers for as long as a process lives: they load the sources anew.
 */
const FRESH = [
  // The wall looks for litter in a directory once in a while, and knows it by its inode, which may be used again.
  'engine/confine/content/draft-names',
  // The size of the heap after the last collection.
  'engine/heap',
];

export const isFresh = (testPath: string) => FRESH.some((name) => testPath.endsWith(`/${name}.test.ts`));
