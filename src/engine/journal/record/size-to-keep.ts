/** How much the journal must keep of something before a call changes it. */
import type { Dir, Stat } from '../../confine/dir.ts';
import { rawNamesInTurns } from '../../confine/names-in-turns.ts';
import type { Place } from '../../confine/place.ts';
import { Yielder } from '../../event-loop.ts';
import { fail } from '../../failures.ts';
import { limits } from '../../limits.ts';

/** Of a file its size, of a tree the sizes of all files in it. */
export async function bytesAt(place: Place, { type, size }: Stat): Promise<number> {
  if (type === 'file') return size;
  if (type !== 'directory') return 0;
  const top = place.dir.enterRaw(Buffer.from(place.name));
  if (top === undefined) return 0;
  return bytesIn(top, new Yielder(undefined), 0).finally(() => top.close());
}

async function bytesIn(dir: Dir, yielder: Yielder, level: number): Promise<number> {
  if (level > limits.treeDepth) return 0;
  let sum = 0;
  for (const name of await namesOf(dir, yielder)) {
    if (yielder.isDue) await yielder.pause();
    const stat = dir.lstat(name);
    if (stat?.type === 'file') sum += stat.size;
    if (stat?.type !== 'directory') continue;
    const inner = dir.enterRaw(name);
    if (inner) sum += await bytesIn(inner, yielder, level + 1).finally(() => inner.close());
  }
  return sum;
}

/** What may not be read cannot be measured; whether it can be moved shows later. */
async function namesOf(dir: Dir, yielder: Yielder): Promise<Buffer[]> {
  try {
    return await rawNamesInTurns(dir, yielder);
  } catch {
    return [];
  }
}

/** What cannot be kept is not changed. */
export function failTooLarge(path: string, bytes: number, most: number): never {
  const way = 'a larger --keep would allow it, and --no-journal would do it without keeping anything';
  const code = `what is there (${bytes} bytes) is more than --keep allows (${most} bytes), so it was not changed; ${way}`;
  fail({ kind: 'io', path, action: 'keep the old content of', code });
}
