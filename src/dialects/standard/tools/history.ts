import { defineTool, hints } from '../../dialect.ts';
import { historyText } from '../history.ts';
import { pathOf } from '../paths.ts';
import { path, position } from '../schema.ts';

export const history = defineTool({
  name: 'history',
  title: 'History',
  description: 'The newest changes made through this server: entry, time, tool, files.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      path,
      limit: { ...position, default: 20 },
      before: { type: 'string', description: 'Entry' },
    },
  },
  async run(args, context) {
    const below = args.path === undefined ? undefined : await pathOf(args.path, context);
    return historyText(args, below, context);
  },
  render: (answer) => answer,
});
