/** How much the journal keeps, and for how long. */
export interface RetentionLimits {
  days: number;
  bytes: number;
  /** The size in bytes of the largest file that is kept. Calls may not change larger ones. */
  file?: number;
  /** How many bytes one call may replace; never more than `bytes`. */
  call?: number;
  /** Whether calls may change what is larger, though nothing can undo that. */
  changesLarge?: boolean;
}

export const defaultRetention: RetentionLimits = { days: 30, bytes: 1024 ** 3 };

/** Smaller limits where other machines share the state: what a call replaces must be copied there. */
export const defaultSharedRetention = { file: 256 * 1024 ** 2, call: 1024 ** 3 };

/** For programs that only read and undo: the servers decide how much is kept. */
export const unlimitedRetention: RetentionLimits = {
  days: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  file: Number.POSITIVE_INFINITY,
  call: Number.POSITIVE_INFINITY,
};
