/** The limits that keep one call from using up the machine. The errors that they cause name them. */
export const limits = {
  /** Whole files are read, shown and edited up to this size. */
  wholeFileBytes: 64 * 1024 * 1024,
  /** The time limit of an edit with a regular expression. */
  regexTimeoutMs: 5000,
  /** The time limit of a content search whose call has none. See engine/search/workers/time-limit.ts. */
  searchTimeoutMs: 30_000,
  /** How many regex edits may run at the same time. */
  regexWorkers: 4,
  /** A search stops when its matches, with context and paths, have this many characters. */
  foundCharacters: 16 * 1024 * 1024,
  /** Directories nested deeper than this are not walked. */
  treeDepth: 1000,
  /** Directories with more entries are not scanned before and after each command. */
  watchedEntries: 100_000,
} as const;
