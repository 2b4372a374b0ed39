/** How much of a client's own words an answer repeats. */

/** Hashes and entry ids are much shorter, but a client may send anything in their place. */
export const MAX_SHOWN_NAME = 80;
/** No system call takes a longer path. */
export const MAX_SHOWN_PATH = 4096;
