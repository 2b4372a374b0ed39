/**
 * Reaches from a held directory to those far above it.
 *
 * Nine hundred levels down, a check of every directory above would climb all levels between again and again. So some of
 * them are held on the way, until the turn of the event loop ends: a directory that is moved meanwhile is found where
 * it was when the look began.
 */
import * as fs from 'node:fs';
import { O_PATH } from './reopen.ts';

/** One of this many levels is held. */
const STRIDE = 32;

export class HeldAncestors {
  #held: number[] = [];

  /** A path to the directory that many levels above `start`; it ends with a slash. */
  above(start: string, levels: number): string {
    let at = 0;
    let path = start;
    for (; at + STRIDE <= levels; at += STRIDE) {
      const fd = this.#held[at / STRIDE] ?? this.#hold(`${path}/${'../'.repeat(STRIDE)}`);
      // Without a free descriptor the climb is longer, and ends at the same place.
      if (fd === undefined) break;
      path = `/proc/self/fd/${fd}`;
    }
    return `${path}/${'../'.repeat(levels - at)}`;
  }

  close(): void {
    for (const fd of this.#held) fs.closeSync(fd);
    this.#held = [];
  }

  #hold(path: string): number | undefined {
    try {
      const fd = fs.openSync(path, O_PATH | fs.constants.O_DIRECTORY);
      if (this.#held.push(fd) === 1) setImmediate(() => this.close());
      return fd;
    } catch {
      return undefined;
    }
  }
}
