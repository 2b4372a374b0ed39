/** Narrows a dialect to the tools that are offered. */
import type { Dialect, Tool } from './dialect.ts';

export function withTools(dialect: Dialect, isOffered: (tool: Tool) => boolean): Dialect {
  return dialect.tools.every(isOffered) ? dialect : { ...dialect, tools: dialect.tools.filter(isOffered) };
}
