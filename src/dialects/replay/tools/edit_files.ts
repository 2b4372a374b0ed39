import { strings } from '../../arguments/schema.ts';
import { defineTool, hints, text } from '../../dialect.ts';
import { editEach, textsThatFit } from '../edit-each.ts';
import { editTargets } from '../edit-targets.ts';
import { editsSchema } from '../edits.ts';

export const editFiles = defineTool({
  name: 'edit_files',
  title: 'Edit files',
  description:
    'Apply the same edits to several files, named by path or glob. One item per file; a file that cannot be edited shows as "path: [error CODE] message". Preview with dryRun first.',
  hints: hints.destructive,
  usefulReadOnly: true,
  input: {
    type: 'object',
    properties: {
      paths: { ...strings, minItems: 1, description: 'Absolute paths and/or glob patterns' },
      edits: editsSchema,
      dryRun: {
        type: 'boolean',
        default: false,
        description: 'Preview every per-file diff before applying: this rewrites MANY files at once',
      },
    },
    required: ['paths', 'edits'],
  },
  async run({ paths: sent, edits, dryRun }, context) {
    const { paths, notes } = await editTargets(sent, dryRun ? 'read' : 'write', context);
    return { edited: await editEach(paths, edits, dryRun, context), notes };
  },
  render: async ({ edited, notes }) => ({
    result: { content: [...(await textsThatFit(edited)), ...notes].map(text) },
    failure: edited.every(({ failure }) => failure) ? edited[0]?.failure : undefined,
  }),
});
