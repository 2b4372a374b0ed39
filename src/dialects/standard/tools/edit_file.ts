import { inTurns, Yielder } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { budgetOf } from '../../results/budget.ts';
import { nextCall } from '../../results/next-call.ts';
import { editRemembered } from '../editing/edit-remembered.ts';
import { doneText, refusalText } from '../editing/edits.ts';
import { unlessStale } from '../editing/stale.ts';
import { refused, withHash } from '../outcome.ts';
import { pathOf } from '../paths.ts';
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
  async run({ path, edits, dryRun, ifHash }, context) {
    const target = await pathOf(path, context);
    const outcome = await unlessStale(target, ifHash, context, () =>
      editRemembered(target, edits, { dryRun, ifHash }, context),
    );
    if (!('hash' in outcome)) return outcome;
    const { result, hash, path: real } = outcome;
    const bytes = budgetOf(context, { path });
    if ('refusal' in result) return refused(refusalText(result, path, edits, bytes), result.refusal.why);
    const next = (offset: number) => nextCall('read_text_file', { path }, { offset }, context);
    const rest = { bytes, next: dryRun ? undefined : next };
    const shown = await inTurns(
      doneText(real, result.diff, result.results, rest),
      new Yielder(context.signal),
    );
    return { result: withHash(shown, hash) };
  },
  render: (outcome) => outcome,
});
