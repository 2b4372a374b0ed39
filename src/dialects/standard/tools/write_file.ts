import { defineTool, hints } from '../../dialect.ts';
import { unlessStale } from '../editing/stale.ts';
import { withHash } from '../outcome.ts';
import { pathOf } from '../paths.ts';
import { ifHash, path } from '../schema.ts';

export const writeFile = defineTool({
  name: 'write_file',
  title: 'Write File',
  description: 'Create a file, or replace the whole content of one. Missing parent directories are made.',
  hints: hints.idempotentDestructive,
  hasChangeView: true,
  input: {
    type: 'object',
    properties: { path, content: { type: 'string' }, ifHash },
    required: ['path', 'content'],
  },
  async run({ path, content, ifHash }, context) {
    const { engine, signal } = context;
    const target = await pathOf(path, context);
    return unlessStale(target, ifHash, context, async () => {
      const { hash } = await engine.files.writeText(target, content, { signal, ifHash });
      return hash;
    });
  },
  render: (outcome, { path }) =>
    typeof outcome === 'string' ? withHash(`Successfully wrote to ${path}`, outcome) : outcome,
});
