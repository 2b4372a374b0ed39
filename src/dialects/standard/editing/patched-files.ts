/** What apply_patch answers: a line for each file, with how many lines were added and removed. */
import { grouped } from '../../../display/grouped.ts';
import { hasSteps, type PlannedFile } from '../../../engine/index.ts';
import { type ToolResult, text } from '../../dialect.ts';
import { onOneLine } from '../../results/one-line.ts';
import { pageOf } from '../../results/token-budget.ts';

/** `bytes` is the most that the answer may take. */
export function patchedResult(
  plans: readonly PlannedFile[],
  hashes: readonly (string | undefined)[],
  { bytes, dryRun }: { bytes: number; dryRun: boolean },
): ToolResult {
  const { lines, end, isCut } = pageOf(plans.map(lineOf), 0, bytes);
  const notes = [
    ...(isCut ? [`[${grouped(plans.length - end)} more files]`] : []),
    ...(dryRun ? ['[dry run: nothing was changed]'] : []),
  ];
  return { content: [text([...lines, ...notes].join('\n'))], ...hashMeta(plans, hashes) };
}

/** The hash of a single file, or the hashes of several, keyed by the path in the patch. */
function hashMeta(plans: readonly PlannedFile[], hashes: readonly (string | undefined)[]) {
  const known = plans.flatMap(({ to }, index) => (to && hashes[index] ? [[to, hashes[index]]] : []));
  if (known.length === 0) return {};
  return { _meta: plans.length === 1 ? { hash: known[0]![1] } : { hashes: Object.fromEntries(known) } };
}

function lineOf(plan: PlannedFile): string {
  const [from, to] = [plan.from, plan.to].map((path) => (path === undefined ? undefined : onOneLine(path)));
  if (from === undefined) return `A ${to}`;
  if (to === undefined) return `D ${from}`;
  const facts = [
    ...(hasSteps(plan) ? [`+${plan.counts.added} -${plan.counts.removed}`] : []),
    ...(plan.mode === undefined ? [] : ['its mode stays']),
  ];
  const note = facts.length === 0 ? '' : ` (${facts.join('; ')})`;
  return from === to ? `M ${from}${note}` : `R ${from} -> ${to}${note}`;
}
