/**
 * Reaches directories far above a held one.
 *
 * Nine hundred levels down, a check of every directory above would climb the same levels again and again. So this class
 * holds some of them until the turn of the event loop ends. A directory that is moved meanwhile is still found where it
 * was when the check began.
 */
import * as fs from 'node:fs';
import { O_PATH } from './reopen.ts';

/** One in this many levels is held. */
const STRIDE = 32;

export class HeldAncestors {
  #held: number[] = [];

  /** A path to the directory this many levels above `start`. It ends with a slash. */
  above(start: string, levels: number): string {
    let at = 0;
    let path = start;
    for (; at + STRIDE <= levels; at += STRIDE) {
      const fd = this.#held[at / STRIDE] ?? this.#hold(`${path}/${'../'.repeat(STRIDE)}`);
      // Without a free descriptor, the path is longer but leads to the same directory.
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
