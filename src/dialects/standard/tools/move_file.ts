import { defineTool, hints } from '../../dialect.ts';
import { pathOf } from '../paths.ts';
import { ifHash, path } from '../schema.ts';
import { unlessStale } from '../stale.ts';

export const moveFile = defineTool({
  name: 'move_file',
  title: 'Move File',
  description: 'Move or rename a file or directory. Fails if the destination exists.',
  hints: hints.destructive,
  input: {
    type: 'object',
    properties: { source: path, destination: path, ifHash },
    required: ['source', 'destination'],
  },
  async run({ source, destination, ifHash }, context) {
    const { engine, signal } = context;
    const [from, to] = [await pathOf(source, context), await pathOf(destination, context)];
    return unlessStale(from, ifHash, context, () => engine.files.move(from, to, { signal, ifHash }));
  },
  render: (outcome, { source, destination }) =>
    'result' in outcome ? outcome : `Successfully moved ${source} to ${destination}`,
});
