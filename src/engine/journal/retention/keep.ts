/** How much the journal keeps, and for how long. */
export interface Keep {
  days: number;
  bytes: number;
}

export const usualKeep: Keep = { days: 30, bytes: 1024 ** 3 };

/** For those who only look and undo: how much is kept is up to the servers. */
export const keepAll: Keep = { days: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
