/** Measures how much the journal must keep before a call changes something. */
import { closing } from '../../confine/closing.ts';
import type { Dir, Stat } from '../../confine/directory/dir.ts';
import { rawNamesInTurns } from '../../confine/directory/names-in-turns.ts';
import type { Place } from '../../confine/place.ts';
import { Yielder } from '../../event-loop.ts';
import { limits } from '../../limits.ts';

interface SizeToKeep {
  /** The bytes of all files that are not too large. */
  bytes: number;
  /** The bytes of the files that are too large. */
  tooLarge: number;
}

/** `most`: the size of the largest file that is kept. */
export async function sizeAt(place: Place, { type, size }: Stat, most: number): Promise<SizeToKeep> {
  if (type === 'file') return sizeOfFile(size, most);
  const sum = { bytes: 0, tooLarge: 0 };
  if (type !== 'directory') return sum;
  const top = place.dir.enterRaw(Buffer.from(place.name));
  if (top === undefined) return sum;
  const adding = { most, yielder: new Yielder(undefined), level: 0 };
  return closing(top, () => addSizes(sum, top, adding));
}

export function sizeOfFile(size: number, most: number): SizeToKeep {
  return size > most ? { bytes: 0, tooLarge: size } : { bytes: size, tooLarge: 0 };
}

interface Adding {
  most: number;
  yielder: Yielder;
  level: number;
}

async function addSizes(sum: SizeToKeep, dir: Dir, adding: Adding): Promise<SizeToKeep> {
  const { most, yielder, level } = adding;
  if (level > limits.treeDepth) return sum;
  for (const name of await namesOf(dir, yielder)) {
    if (yielder.isDue) await yielder.pause();
    const stat = dir.lstat(name);
    if (stat?.type === 'file') {
      const { bytes, tooLarge } = sizeOfFile(stat.size, most);
      sum.bytes += bytes;
      sum.tooLarge += tooLarge;
    }
    if (stat?.type !== 'directory') continue;
    const inner = dir.enterRaw(name);
    if (inner) await closing(inner, () => addSizes(sum, inner, { ...adding, level: level + 1 }));
  }
  return sum;
}

/** None for a directory that the server may not read: its size is unknown, but the call may be able to move it. */
async function namesOf(dir: Dir, yielder: Yielder): Promise<Buffer[]> {
  try {
    return await rawNamesInTurns(dir, yielder);
  } catch {
    return [];
  }
}
