/** Lists one entry per line, as many as fit. */

import type { ToolContext } from '../../dialect.ts';
import { nextCall } from '../../results/next-call.ts';
import { budgetOf, offsetTooLarge, pageOf, partNote } from '../../results/token-budget.ts';

/** `after` follows the entries on every page. */
export function listing(
  tool: string,
  lines: readonly string[],
  args: { path: string; offset?: number } & Record<string, unknown>,
  context: ToolContext,
  after: readonly string[] = [],
): string {
  const room = budgetOf(context, args) - Buffer.byteLength(after.join('\n'));
  const page = pageOf(lines, args.offset ?? 0, room);
  if (page.offset > 0 && page.lines.length === 0)
    return [offsetTooLarge(lines.length, 'entries'), ...after].join('\n');
  const first = page.offset + 1;
  const next = nextCall(tool, args, { offset: page.end }, context);
  const note = partNote(`entries ${first}-${page.end}`, lines.length, next);
  return [...page.lines, ...after, ...(page.isCut ? [note] : [])].join('\n');
}
