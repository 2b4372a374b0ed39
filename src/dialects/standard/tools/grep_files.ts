import { defineTool, hints } from '../../dialect.ts';
import { count, flag, includeIgnored, path, position } from '../schema.ts';
import { grep } from '../searching/grep.ts';

export const grepFiles = defineTool({
  name: 'grep_files',
  title: 'Grep Files',
  description: 'Find lines by JavaScript regex, grouped by file. anchors labels lines for edit_file.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      pattern: { type: 'string' },
      path: { ...path, default: '.' },
      glob: { type: 'string', description: 'As in .gitignore: *.ts' },
      ignoreCase: flag,
      literal: { ...flag, description: 'pattern is plain text' },
      context: { ...count, maximum: 50, description: 'Lines around' },
      output: { type: 'string', enum: ['content', 'files', 'count'], default: 'content' },
      limit: { ...position, maximum: 10_000, default: 200, description: 'Matching lines' },
      offset: count,
      anchors: flag,
      includeIgnored,
    },
    required: ['pattern'],
  },
  run: (args, context) => grep(args, context),
  render: (answer) => answer,
});
