import { defineTool, hints } from '../../dialect.ts';

const DONE = { changed: 'Patched', created: 'Created', deleted: 'Deleted' } as const;

export const patchApply = defineTool({
  name: 'patch_apply',
  title: 'Apply patch',
  description:
    'Apply a unified diff to an existing file, or create a new file from a /dev/null source header. All hunks or none.',
  hints: hints.destructive,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Absolute path to the target file' },
      patch: {
        type: 'string',
        description: 'Unified diff. May be wrapped in a markdown code fence (```diff … ```)',
      },
    },
    required: ['path', 'patch'],
  },
  run: ({ path, patch }, { engine, signal }) => engine.files.patch(path, patch, { signal }),
  render: ({ action, hunks }, { path }) => `${DONE[action]} ${path} (${hunks} hunk${hunks === 1 ? '' : 's'})`,
});
