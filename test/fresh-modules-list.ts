/**
 * A worker runs many test files, and keeps the modules of the sources loaded between them. The files named here test
 * what a module remembers for the lifetime of a process, or give it another module of Node, so they load the sources
 * again.
 */
const FRESH = [
  // The wall sweeps a directory only now and then, and knows it by its inode, which may be reused.
  'engine/confine/content/draft-names',
  // The module remembers the size of the heap after the last collection.
  'engine/heap',
  // Counts the flushes.
  'state/directory/deferred-flush',
];

export const isFresh = (testPath: string) => FRESH.some((name) => testPath.endsWith(`/${name}.test.ts`));
