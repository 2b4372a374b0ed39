import { mapInTurns, sortedInTurns, Yielder } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { onOneLine } from '../../results/one-line.ts';
import { listing } from '../listing/listing.ts';
import { sizedEntries } from '../listing/sized-entries.ts';
import { formatSize } from '../listing/sizes.ts';
import { pathOf } from '../paths.ts';
import { count, path } from '../schema.ts';

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
