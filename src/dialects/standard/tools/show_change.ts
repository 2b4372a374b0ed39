import { defineTool, hints } from '../../dialect.ts';
import { shownChange } from '../shown-change.ts';

export const showChange = defineTool({
  name: 'show_change',
  title: 'Show Change',
  description:
    'One change in full, for the view that clients show beside a call: the newest of this session, or the entry that is named.',
  hints: hints.readOnly,
  input: { type: 'object', properties: { entry: { type: 'string' } } },
  run: ({ entry }, context) => shownChange(entry, context),
  render: (outcome) => outcome,
});
