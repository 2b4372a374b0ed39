import { type PlannedFile, Yielder } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { budgetOf } from '../../results/token-budget.ts';
import { patchedResult } from '../editing/patched-files.ts';
import { pathOf } from '../paths.ts';

export const applyPatch = defineTool({
  name: 'apply_patch',
  title: 'Apply Patch',
  description:
    'Apply a patch to several files, all or nothing: unified diffs, or *** Begin Patch with Add, Update, Delete File and Move to.',
  hints: hints.destructive,
  hasChangeView: true,
  input: {
    type: 'object',
    properties: { patch: { type: 'string' }, dryRun: { type: 'boolean' } },
    required: ['patch'],
  },
  async run({ patch, dryRun = false }, context) {
    const { signal } = context;
    const plans = await context.engine.files.planPatch(patch, { signal });
    const placed: PlannedFile[] = [];
    const yielder = new Yielder(signal);
    for (const plan of plans) {
      await yielder.pause();
      placed.push({ ...plan, from: await placeOf(plan.from, context), to: await placeOf(plan.to, context) });
    }
    const hashes = await context.engine.files.patchFiles(placed, { dryRun, signal });
    return { plans, hashes, bytes: budgetOf(context) };
  },
  render: ({ plans, hashes, bytes }, { dryRun = false }) => patchedResult(plans, hashes, { bytes, dryRun }),
});

async function placeOf(path: string | undefined, context: ToolContext): Promise<string | undefined> {
  return path === undefined ? undefined : pathOf(path, context);
}
