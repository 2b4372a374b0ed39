/** One tool call from arguments to answer: the one place where failures become a dialect's words. */
import { EngineFailure } from '../engine/index.ts';
import { checkArguments } from './arguments.ts';
import type { Dialect, Told, ToldFailure, Tool, ToolContext } from './dialect.ts';

export async function callTool(
  dialect: Dialect,
  tool: Tool,
  args: unknown,
  context: ToolContext,
): Promise<Told & { failure?: ToldFailure | undefined }> {
  try {
    return await tool.call(checkArguments(tool, args), context);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const { facts } = error;
    context.engine.tellFailure(facts);
    return { ...dialect.failed(facts, tool), failure: facts };
  }
}
