/** Gives what the sources leave out when it takes too long the time that it may need on a busy machine. */
import { secondLook } from '../src/dialects/empty-search.ts';

// What a second look finds belongs to the answer.
secondLook.timeoutMs = 60_000;
