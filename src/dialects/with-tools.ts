/** A dialect with some of its tools. */
import type { Dialect, Tool } from './dialect.ts';

export function withTools(dialect: Dialect, isOffered: (tool: Tool) => boolean): Dialect {
  const chosen = dialect.tools.filter((tool) => !tool.onlyForViews && isOffered(tool));
  const tools = dialect.tools.filter((tool) => chosen.includes(tool) || serves(tool, chosen));
  return tools.length === dialect.tools.length ? dialect : { ...dialect, tools };
}

/** The tools of a view go with those that have it. */
function serves({ onlyForViews }: Tool, chosen: readonly Tool[]): boolean {
  return onlyForViews && chosen.some(({ hasChangeView }) => hasChangeView);
}
