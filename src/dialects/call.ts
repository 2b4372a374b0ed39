/** One tool call from arguments to answer: the one place where failures become a dialect's words. */
import { EngineFailure, type Failure } from '../engine/index.ts';
import { checkArguments } from './arguments.ts';
import type { Dialect, Told, Tool, ToolContext } from './dialect.ts';

export async function callTool(
  dialect: Dialect,
  tool: Tool,
  args: unknown,
  context: ToolContext,
): Promise<Told & { failure?: Failure }> {
  try {
    return { answer: await tool.call(checkArguments(tool, args), context) };
  } catch (error) {
    if (error instanceof EngineFailure) return { ...dialect.failed(error.facts, tool), failure: error.facts };
    throw error;
  }
}
