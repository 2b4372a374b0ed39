import { grouped } from '../../../display/grouped.ts';
import { hasSteps, type PlannedFile, Yielder } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext, text } from '../../dialect.ts';
import { budgetOf, pageOf } from '../../results/budget.ts';
import { onOneLine } from '../../results/one-line.ts';
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
  render({ plans, hashes, bytes }, { dryRun }) {
    const { lines, end, isCut } = pageOf(plans.map(lineOf), 0, bytes);
    const notes = [
      ...(isCut ? [`[${grouped(plans.length - end)} more files]`] : []),
      ...(dryRun ? ['[dry run: nothing was changed]'] : []),
    ];
    return { content: [text([...lines, ...notes].join('\n'))], ...hashMeta(plans, hashes) };
  },
});

/** One hash for one file; for several, each by the path that the patch names. */
function hashMeta(plans: readonly PlannedFile[], hashes: readonly (string | undefined)[]) {
  const known = plans.flatMap(({ to }, index) => (to && hashes[index] ? [[to, hashes[index]]] : []));
  if (known.length === 0) return {};
  return { _meta: plans.length === 1 ? { hash: known[0]![1] } : { hashes: Object.fromEntries(known) } };
}

async function placeOf(path: string | undefined, context: ToolContext): Promise<string | undefined> {
  return path === undefined ? undefined : pathOf(path, context);
}

function lineOf(plan: PlannedFile): string {
  const [from, to] = [plan.from, plan.to].map((path) => (path === undefined ? undefined : onOneLine(path)));
  const counts = `(+${plan.counts.added} -${plan.counts.removed})`;
  if (from === undefined) return `A ${to}`;
  if (to === undefined) return `D ${from}`;
  if (from !== to) return !hasSteps(plan) ? `R ${from} -> ${to}` : `R ${from} -> ${to} ${counts}`;
  return plan.mode === undefined || hasSteps(plan) ? `M ${from} ${counts}` : `M ${from} (its mode stays)`;
}
