/** One tool call from arguments to answer: the one place where failures become a dialect's words. */
import { EngineFailure } from '../engine/index.ts';
import { checkArguments } from './arguments.ts';
import type { Dialect, Told, ToldFailure, Tool, ToolContext } from './dialect.ts';
import { noteIgnored } from './ignored-arguments.ts';
import { withNotes } from './notes.ts';

export interface CallContext extends Omit<ToolContext, 'note'> {
  /** Collects what the client is told besides the answer; whoever gives it may add to it until the call ends. */
  notes?: string[];
  /** The name that the client knows the tool by, where that is not its own. */
  calledAs?: string;
}

type Outcome = Told & { failure?: ToldFailure | undefined };

export async function callTool(
  dialect: Dialect,
  tool: Tool,
  args: unknown,
  { notes = [], calledAs = tool.name, ...rest }: CallContext,
): Promise<Outcome> {
  const context: ToolContext = { ...rest, note: (note) => void notes.push(note) };
  const told = await outcomeOf(dialect, tool, args, context);
  const ignored = tool.input.additionalProperties === false ? undefined : noteIgnored(tool, args, calledAs);
  return withNotes(told, ignored === undefined ? notes : [...notes, ignored]);
}

async function outcomeOf(
  dialect: Dialect,
  tool: Tool,
  args: unknown,
  context: ToolContext,
): Promise<Outcome> {
  try {
    return await tool.call(checkArguments(tool, args), context);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const { facts } = error;
    context.engine.tellFailure(facts);
    return { ...dialect.failed(facts, tool), failure: facts };
  }
}
