import { defineTool, hints } from '../../dialect.ts';
import { searchContents } from '../search-contents.ts';
import { searchResult } from '../search-result.ts';

/** Planning a longer pattern takes time, and no honest search of single lines needs one. */
const MAX_PATTERN_LENGTH = 4096;

export const searchFiles = defineTool({
  name: 'search_files',
  title: 'Search files',
  description:
    'Search the files of the repository, line by line, for plain text or a regex (ECMAScript). Returns matching lines with context. Skips node_modules, .git, dist, build, minified files, lock files and source maps.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      pattern: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_PATTERN_LENGTH,
        description: 'Search pattern: plain text or regex',
      },
      is_regex: { type: 'boolean', default: false, description: 'Treat pattern as a regular expression' },
      glob: {
        type: 'string',
        description: 'Glob to filter files: "src/**/*.ts" for paths, "*.ts" for names at any depth',
      },
      max_results: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: 50,
        description: 'Maximum matches to return',
      },
      context_lines: {
        type: 'integer',
        minimum: 0,
        maximum: 10,
        default: 2,
        description: 'Lines of context around matches',
      },
      case_sensitive: { type: 'boolean', default: false, description: 'Case-sensitive search' },
    },
    required: ['pattern'],
  },
  run: searchContents,
  render: ({ found, ms }, { context_lines }) => searchResult(found, ms, context_lines),
});
