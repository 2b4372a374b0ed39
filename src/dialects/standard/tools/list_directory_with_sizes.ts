import { join } from 'node:path';
import { ITEMS_PER_CHECK, mapInTurns, sortedInTurns, Yielder } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { onOneLine } from '../../one-line.ts';
import { listing } from '../listing.ts';
import { pathOf } from '../paths.ts';
import { count, path } from '../schema.ts';
import { formatSize } from '../sizes.ts';

export const listDirectoryWithSizes = defineTool({
  name: 'list_directory_with_sizes',
  title: 'List Directory with Sizes',
  description: 'List a directory with the sizes of files.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: { path, sortBy: { type: 'string', enum: ['name', 'size'], default: 'name' }, offset: count },
    required: ['path'],
  },
  async run(args, context) {
    const yielder = new Yielder(context.signal);
    const byName = new Intl.Collator().compare;
    const entries = await sortedInTurns(
      await sizedEntries(await pathOf(args.path, context), context, yielder),
      yielder,
      (a, b) => (args.sortBy === 'size' ? b.size - a.size : byName(a.name, b.name)),
    );
    let files = 0;
    let total = 0;
    const lines = await mapInTurns(entries, yielder, ({ name, isDirectory, size }) => {
      if (!isDirectory) files++;
      if (!isDirectory) total += size;
      return isDirectory
        ? `[DIR] ${onOneLine(name).padEnd(30)} `
        : `[FILE] ${onOneLine(name).padEnd(30)} ${formatSize(size).padStart(10)}`;
    });
    const summary = [
      '',
      `Total: ${files} files, ${entries.length - files} directories`,
      `Combined size: ${formatSize(total)}`,
    ];
    return listing('list_directory_with_sizes', lines, args, context, summary);
  },
  render: (answer) => answer,
});

interface SizedEntry {
  name: string;
  isDirectory: boolean;
  size: number;
}

/** A link has the size of what it leads to, unless that is missing or outside. */
async function sizedEntries(
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
