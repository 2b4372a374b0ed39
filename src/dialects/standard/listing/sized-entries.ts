/** The entries of a directory with their sizes. */
import { join } from 'node:path';
import { ITEMS_PER_CHECK, type Yielder } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';

interface SizedEntry {
  name: string;
  isDirectory: boolean;
  size: number;
}

/** A link has the size of its target, or 0 if the target is missing or outside. */
export async function sizedEntries(
  path: string,
  { engine, signal }: ToolContext,
  yielder: Yielder,
): Promise<SizedEntry[]> {
  const { entries } = await engine.files.listAll(path, { depth: 1, signal });
  const sized: SizedEntry[] = [];
  for (const { path: name, type, size } of entries) {
    if (sized.length % ITEMS_PER_CHECK === 0) await yielder.pause();
    const target = type === 'symlink' ? await engine.files.peek(join(path, name)) : undefined;
    sized.push({
      name,
      isDirectory: type === 'directory',
      size: type === 'symlink' ? (target?.size ?? 0) : size,
    });
  }
  return sized;
}
