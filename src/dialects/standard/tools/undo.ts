import { defineTool, hints } from '../../dialect.ts';
import { undoChange } from '../history.ts';

export const undo = defineTool({
  name: 'undo',
  title: 'Undo',
  description: 'Take back one change: the newest of this session, or the entry that history names.',
  hints: hints.destructive,
  hasChangeView: true,
  input: { type: 'object', properties: { entry: { type: 'string' } } },
  run: ({ entry }, context) => undoChange(entry, context),
  render: (outcome) => outcome,
});
