import { defineTool, hints } from '../../dialect.ts';
import { editText } from '../editing/edit-text.ts';
import { flag, ifHash, path, position } from '../schema.ts';

export const editFile = defineTool({
  name: 'edit_file',
  title: 'Edit File',
  description:
    'Edit a text file: all edits or none, in order. By text: oldText must fit exactly one place (blanks, indentation and quotes may differ). By lines: anchors from a read. Answers a diff.',
  hints: hints.destructive,
  hasChangeView: true,
  input: {
    type: 'object',
    properties: {
      path,
      edits: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            oldText: { type: 'string' },
            newText: { type: 'string' },
            lines: {
              type: 'string',
              description: 'Instead of oldText: "12#k3-15#9q", "12#k3"; "12#k3+" and "0+" insert after',
            },
            all: { ...flag, description: 'Every exact place' },
            near: { ...position, description: 'The place closest to this line' },
            regex: { ...flag, description: 'oldText is a JavaScript regex; $1 in newText' },
            limit: { ...position, description: 'Matches of the regex' },
          },
          required: ['newText'],
        },
      },
      dryRun: { type: 'boolean', default: false },
      ifHash,
    },
    required: ['path', 'edits'],
  },
  run: (args, context) => editText(args, context),
  render: (outcome) => outcome,
});
