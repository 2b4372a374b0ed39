import { mapInTurns, Yielder } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { onOneLine } from '../../results/one-line.ts';
import { listing } from '../listing/listing.ts';
import { count, excludePatterns, includeIgnored, path } from '../schema.ts';
import { explainNoNames, findNames } from '../searching/find-names.ts';

export const searchFiles = defineTool({
  name: 'search_files',
  title: 'Search Files',
  description:
    'Find files and directories by glob (relative to path: **/*.ts) or by a part of the name. Answers full paths.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: { path, pattern: { type: 'string' }, excludePatterns, offset: count, includeIgnored },
    required: ['path', 'pattern'],
  },
  async run(args, context) {
    const { paths, areIgnored } = await findNames(args, context);
    if (paths.length > 0) {
      const lines = await mapInTurns(paths, new Yielder(context.signal), onOneLine);
      return listing('search_files', lines, args, context);
    }
    if (areIgnored) return 'No matches found\n[.gitignore names what matches; includeIgnored: true finds it]';
    await explainNoNames(args, context);
    return 'No matches found';
  },
  render: (answer) => answer,
});
