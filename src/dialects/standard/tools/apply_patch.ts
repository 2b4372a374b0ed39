import { type PlannedFile, parseFilePatch, plannedFiles, plannedLines } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { onOneLine } from '../../one-line.ts';
import { pathOf } from '../paths.ts';

export const applyPatch = defineTool({
  name: 'apply_patch',
  title: 'Apply Patch',
  description:
    'Apply a patch to several files, all or nothing: unified diffs, or *** Begin Patch with Add, Update, Delete File and Move to.',
  hints: hints.destructive,
  input: {
    type: 'object',
    properties: { patch: { type: 'string' }, dryRun: { type: 'boolean' } },
    required: ['patch'],
  },
  async run({ patch, dryRun = false }, context) {
    const plans = plannedFiles(parseFilePatch(patch));
    const placed: PlannedFile[] = [];
    for (const plan of plans) {
      placed.push({ ...plan, from: await placeOf(plan.from, context), to: await placeOf(plan.to, context) });
    }
    await context.engine.files.patchFiles(placed, { dryRun, signal: context.signal });
    return plans;
  },
  render: (plans, { dryRun }) =>
    [...plans.map(lineOf), ...(dryRun ? ['[dry run: nothing was changed]'] : [])].join('\n'),
});

async function placeOf(path: string | undefined, context: ToolContext): Promise<string | undefined> {
  return path === undefined ? undefined : pathOf(path, context);
}

function lineOf(plan: PlannedFile): string {
  const [from, to] = [plan.from, plan.to].map((path) => (path === undefined ? undefined : onOneLine(path)));
  const { added, removed } = plannedLines(plan);
  const counts = `(+${added} -${removed})`;
  if (from === undefined) return `A ${to}`;
  if (to === undefined) return `D ${from}`;
  if (from !== to) return plan.steps.length === 0 ? `R ${from} -> ${to}` : `R ${from} -> ${to} ${counts}`;
  return plan.mode === undefined || plan.steps.length > 0
    ? `M ${from} ${counts}`
    : `M ${from} (its mode stays)`;
}
