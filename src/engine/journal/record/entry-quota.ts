/** How much one entry may keep. What does not fit is not changed, unless the operator allows that it cannot be undone. */
import type { Stat } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { fail } from '../../failures.ts';
import { sizeAt, sizeOfFile } from './size-to-keep.ts';

export interface QuotaBounds {
  /** Bytes of all that one entry keeps, and the option that sets it. */
  call: number;
  callOption: string;
  /** Bytes of a file. */
  file: number;
  /** What is larger is changed without being kept. */
  withoutUndo: boolean;
}

export class EntryQuota {
  readonly #bounds: QuotaBounds;
  #taken = 0;

  constructor(bounds: QuotaBounds) {
    this.#bounds = bounds;
  }

  /** Larger files are not kept. */
  get file(): number {
    return this.#bounds.file;
  }

  /** For what is only kept to be shown. */
  get left(): number {
    const { call } = this.#bounds;
    return Math.min(call - this.#taken, call / 8);
  }

  /**
   * Takes the room of what is at a place. `why` says that it cannot be kept, where it is changed all the same.
   */
  async take(place: Place, old: Stat): Promise<{ bytes: number; why: string | undefined }> {
    const { call, callOption, file, withoutUndo } = this.#bounds;
    const isEndless = call === Number.POSITIVE_INFINITY && file === Number.POSITIVE_INFINITY;
    const { bytes, tooLarge } = isEndless ? sizeOfFile(old.size, file) : await sizeAt(place, old, file);
    if (tooLarge > 0 && !withoutUndo) refuse(place.shown, tooLarge, '--keep-file', file);
    const all = this.#taken + bytes;
    if (all > call && !withoutUndo) refuse(place.shown, all, callOption, call);
    if (all > call) return { bytes: 0, why: whyNotKept(all, callOption, call) };
    this.#taken = all;
    return { bytes: bytes + tooLarge, why: undefined };
  }
}

/** Of a file that is larger than a file may be. */
export function whyFileNotKept(size: number, most: number): string {
  return whyNotKept(size, '--keep-file', most);
}

function whyNotKept(bytes: number, option: string, most: number): string {
  return `${bytes} bytes are more than ${option} allows (${most} bytes)`;
}

function refuse(path: string, bytes: number, option: string, most: number): never {
  const way = `a larger ${option} would allow it, and --no-undo-for-large would do it without keeping what was there`;
  const code = `what is there (${bytes} bytes) is more than ${option} allows (${most} bytes), so it was not changed; ${way}`;
  fail({ kind: 'io', path, action: 'keep the old content of', code });
}
