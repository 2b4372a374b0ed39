import { fail } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { readText, rendered } from '../reading/read-text.ts';
import { count, flag, path, position } from '../schema.ts';

export const readTextFile = defineTool({
  name: 'read_text_file',
  title: 'Read Text File',
  description:
    'Read a text file, or some lines of it. A long answer ends with the call that continues. anchors labels lines for edit_file.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      path,
      head: { ...count, description: 'First N lines' },
      tail: { ...count, description: 'Last N lines' },
      offset: { ...position, description: 'First line, from 1' },
      limit: { ...position, description: 'Number of lines' },
      column: { ...position, description: 'First character of that line' },
      numbered: flag,
      anchors: { ...flag, description: 'Label lines as 12#k3|' },
      hash: flag,
    },
    required: ['path'],
  },
  run(args, context) {
    if (args.head && args.tail) bothEnds();
    return readText(args, context);
  },
  render: (value, args) => rendered(value, args),
});

function bothEnds(): never {
  const message = 'Cannot specify both head and tail parameters simultaneously';
  return fail({ kind: 'bad-arguments', problems: [{ field: 'head', missing: false, message }] });
}

/** The same tool under its old name. */
export const readFile = {
  ...readTextFile,
  name: 'read_file',
  title: 'Read File',
  description: 'Old name of read_text_file.',
};
