import { mapInTurns, Yielder } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { onOneLine } from '../../results/one-line.ts';
import { listing } from '../listing/listing.ts';
import { pathOf } from '../paths.ts';
import { count, path } from '../schema.ts';

export const listDirectory = defineTool({
  name: 'list_directory',
  title: 'List Directory',
  description: 'List a directory: [DIR] or [FILE] and the name, sorted.',
  hints: hints.readOnly,
  input: { type: 'object', properties: { path, offset: count }, required: ['path'] },
  async run(args, context) {
    const { engine, signal } = context;
    const entries = await engine.files.list(await pathOf(args.path, context), { signal });
    const lines = await mapInTurns(
      entries,
      new Yielder(signal),
      ({ name, type }) => `${type === 'directory' ? '[DIR]' : '[FILE]'} ${onOneLine(name)}`,
    );
    return listing('list_directory', lines, args, context);
  },
  render: (answer) => answer,
});
