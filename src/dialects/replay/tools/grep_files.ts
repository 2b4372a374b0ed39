import { strings } from '../../arguments/schema.ts';
import { defineTool, hints } from '../../dialect.ts';
import { grep } from '../searching/grep.ts';
import { grepOutput } from '../searching/grep-output.ts';

export const grepFiles = defineTool({
  name: 'grep_files',
  title: 'Search file contents',
  description:
    'Search file contents with an ECMAScript regex, line by line. Give a directory, globs, or both; relative globs are anchored to directory, else to the project directory. Output is grep-style: path:line:text, context lines path-line-text.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      regex: { type: 'string', description: 'ECMAScript (JS) regex searched in file CONTENTS' },
      directory: {
        type: 'string',
        description: 'Directory to walk recursively. Set this to restrict the search to one dir',
      },
      globs: {
        ...strings,
        description: 'File filters; relative -> anchored to directory, absolute -> as-is',
      },
      excludeGlobs: { ...strings, description: 'Glob exclusions (honored in every mode)' },
      caseInsensitive: { type: 'boolean', default: false, description: 'Case-insensitive, grep -i' },
      contextLines: {
        type: 'integer',
        minimum: 0,
        maximum: 50,
        default: 0,
        description: 'Lines before/after each match, grep -C style',
      },
      maxResults: {
        type: 'integer',
        minimum: 1,
        maximum: 10000,
        default: 500,
        description: 'Total match cap',
      },
    },
    required: ['regex'],
  },
  run: grep,
  render: ({ result, outside }, args) => grepOutput(result, outside, args),
});
