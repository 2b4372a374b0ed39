import { defineTool, hints } from '../../dialect.ts';
import { listEntries } from '../listing/list-entries.ts';
import { listResult } from '../listing/list-result.ts';

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description:
    'List files and directories in the repository: paths, types, sizes and modification dates. Directories come first. With a pattern only files are listed.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      directory: {
        type: 'string',
        default: '.',
        description: 'Directory path relative to the repository root',
      },
      pattern: {
        type: 'string',
        description: 'Glob to filter files: "*.ts" for names at any depth, "src/**/*.ts" for paths',
      },
      max_depth: {
        type: 'integer',
        minimum: 1,
        maximum: 10,
        default: 3,
        description: 'Maximum directory depth',
      },
      include_hidden: {
        type: 'boolean',
        default: false,
        description: 'Include hidden files and directories',
      },
    },
  },
  run: listEntries,
  render: listResult,
});
