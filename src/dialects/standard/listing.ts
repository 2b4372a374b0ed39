/** Lists of one entry a line, as many of them as fit. */
import type { ToolContext } from '../dialect.ts';
import { budgetOf, grouped, nextCall, pageOf } from './budget.ts';

/** `after` stands behind the entries on every page. */
export function listing(
  tool: string,
  lines: readonly string[],
  args: { path: string; offset?: number } & Record<string, unknown>,
  context: ToolContext,
  after: readonly string[] = [],
): string {
  const page = pageOf(lines, args.offset ?? 0, budgetOf(context));
  const first = page.offset + 1;
  const note = `[entries ${first}-${page.end} of ${grouped(lines.length)}; ${nextCall(tool, { ...args, offset: page.end })}]`;
  return [...page.lines, ...after, ...(page.isCut ? [note] : [])].join('\n');
}
