/** Lists directories of any size as raw bytes: the only way to reach every entry of a tree. */
import type { Yielder } from '../../event-loop.ts';
import type { Dir } from './dir.ts';

/** The same as `dir.rawNames()`, in as many turns as it takes. */
export async function rawNamesInTurns(dir: Dir, yielder: Yielder): Promise<Buffer[]> {
  const names: Buffer[] = [];
  for (const batch of dir.rawNameBatches()) {
    for (const name of batch) names.push(Buffer.from(name, 'latin1'));
    await yielder.pause();
  }
  return names;
}
