/** How much of what a client sent an answer repeats. */

/** Hashes and the ids of entries are much shorter; what a client sends as one may be longer. */
export const MAX_SHOWN_NAME = 80;
/** No system call takes a longer path. */
export const MAX_SHOWN_PATH = 4096;
