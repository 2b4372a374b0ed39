/** Applies patches of several files to files in memory. */
import { EngineFailure, type Failure } from '../../../../src/engine/failures.ts';
import { parseFilePatch } from '../../../../src/engine/text/patch/parse/parse-files.ts';
import { applyPlan, plannedFiles } from '../../../../src/engine/text/patch/planned-files.ts';

/** Contents by path. */
export type Tree = Readonly<Record<string, string>>;

export interface PatchedTree {
  files: Tree;
  /** The modes that the patch asks for, by path. */
  modes: Readonly<Record<string, number>>;
}

export function patchTree(before: Tree, patch: string): PatchedTree {
  const plans = plannedFiles(parseFilePatch(patch));
  const files = { ...before };
  const modes: Record<string, number> = {};
  const contents = plans.map((plan) => {
    if (plan.from !== undefined && before[plan.from] === undefined) throw new Error(`no ${plan.from}`);
    return applyPlan(plan, plan.from === undefined ? '' : before[plan.from]!).text;
  });
  for (const { from } of plans) if (from !== undefined) delete files[from];
  for (const [index, { to, mode }] of plans.entries()) {
    if (to === undefined) continue;
    if (files[to] !== undefined) throw new EngineFailure({ kind: 'exists', path: to, found: 'file' });
    files[to] = contents[index]!;
    if (mode !== undefined) modes[to] = mode;
  }
  return { files, modes };
}

export function patchFailure(before: Tree, patch: string): Failure {
  try {
    patchTree(before, patch);
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
  throw new Error('the patch was applied');
}
