/** One tool call from arguments to answer: the one place where failures become a dialect's words. */
import { Breathing, EngineFailure } from '../engine/index.ts';
import { doneWithoutWords, excessBytes, LONGEST_MESSAGE, withShortTexts } from './answer-size.ts';
import { checkArguments } from './arguments.ts';
import type { Dialect, Told, ToldFailure, Tool, ToolContext } from './dialect.ts';
import { noteHidden } from './hidden-characters.ts';
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
  const also = [await noteHidden(told), ignored].filter((note) => note !== undefined);
  // What the tool has shown to be long is looked at again in a turn of its own.
  await new Breathing(undefined).pause();
  return shortEnough(withNotes(told, [...notes, ...also]), dialect, tool);
}

/** No answer is longer than clients take, whatever a tool gives: most tools keep to that by themselves. */
function shortEnough(told: Outcome, dialect: Dialect, tool: Tool): Outcome {
  const bytes = excessBytes(told);
  if (bytes === undefined) return told;
  if ('error' in told || told.answer.isError) return withShortTexts(told);
  if (!tool.hints.readOnly) return { answer: doneWithoutWords(bytes) };
  const instead = 'Ask for less at a time';
  const facts = { kind: 'answer-too-large', bytes, limit: LONGEST_MESSAGE, instead } as const;
  return { ...dialect.failed(facts, tool), failure: facts };
}

async function outcomeOf(
  dialect: Dialect,
  tool: Tool,
  args: unknown,
  context: ToolContext,
): Promise<Outcome> {
  try {
    return await tool.call(await checkArguments(tool, args), context);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const { facts } = error;
    context.engine.reportFailure(facts);
    return { ...dialect.failed(facts, tool), failure: facts };
  }
}
