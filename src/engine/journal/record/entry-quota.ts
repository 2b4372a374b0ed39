/** How much one entry may keep. A call may not change what does not fit, unless the operator allows it without undo. */
import type { Stat } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { fail } from '../../failures.ts';
import { sizeAt, sizeOfFile } from './size-to-keep.ts';

export interface QuotaBounds {
  /** How many bytes one entry may keep. */
  call: number;
  /** The command line option that sets `call`. */
  callOption: string;
  /** The size in bytes of the largest file that is kept. */
  file: number;
  /** Whether a call may change what is larger, without keeping it. */
  withoutUndo: boolean;
}

export class EntryQuota {
  readonly #bounds: QuotaBounds;
  #taken = 0;

  constructor(bounds: QuotaBounds) {
    this.#bounds = bounds;
  }

  /** The size in bytes of the largest file that is kept. */
  get file(): number {
    return this.#bounds.file;
  }

  /** How many bytes are left for contents that are kept only for diffs. */
  get left(): number {
    const { call } = this.#bounds;
    return Math.min(call - this.#taken, call / 8);
  }

  /** Reserves room for what is at a place. `why`: it does not fit, and the call changes it without keeping it. */
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
