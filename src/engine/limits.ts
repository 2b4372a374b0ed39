/** The ceilings that keep one call from taking the machine: named in the errors that they cause. */
export const limits = {
  /** Whole files are read, shown and edited up to this size. */
  wholeFileBytes: 64 * 1024 * 1024,
  /** The time limit of an edit with a regular expression. See engine/search/workers/time-limit.ts for searches. */
  regexTimeoutMs: 5000,
  /** Regex edits that run side by side. */
  regexWorkers: 4,
  /** A search returns matches until their lines, with context and paths, have this many characters. */
  foundCharacters: 16 * 1024 * 1024,
  /** Directories nested deeper than this are not walked. */
  treeDepth: 1000,
  /** Directories with more entries are not scanned before and after each command. */
  watchedEntries: 100_000,
} as const;
