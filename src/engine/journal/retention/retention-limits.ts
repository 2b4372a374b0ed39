/** How much the journal keeps, and for how long. */
export interface RetentionLimits {
  days: number;
  bytes: number;
  /** Bytes of one file at most. What is larger is not changed. */
  file?: number;
  /** Bytes of all that one call replaces; never more than `bytes`. */
  call?: number;
  /** What is larger is changed all the same, and cannot be undone. */
  changesLarge?: boolean;
}

export const defaultRetention: RetentionLimits = { days: 30, bytes: 1024 ** 3 };

/** Where other machines share the state, what a call replaces is copied there. */
export const defaultSharedRetention = { file: 256 * 1024 ** 2, call: 1024 ** 3 };

/** For programs that only read and undo: how much is kept is up to the servers. */
export const unlimitedRetention: RetentionLimits = {
  days: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  file: Number.POSITIVE_INFINITY,
  call: Number.POSITIVE_INFINITY,
};
