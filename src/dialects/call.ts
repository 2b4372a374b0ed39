/** Runs one tool call, from arguments to outcome. Only here do failures become a dialect's words. */
import { EngineFailure, Yielder } from '../engine/index.ts';
import { checkArguments } from './arguments/arguments.ts';
import { ignoredIn, refuseIgnored } from './arguments/ignored-arguments.ts';
import type { Dialect, Tool, ToolContext, ToolOutcome } from './dialect.ts';
import { budgetBeside, fitBudget, notesBeside } from './results/fit-budget.ts';
import { noteHidden } from './results/hidden-characters.ts';
import { withNotes } from './results/notes.ts';
import {
  excessBytes,
  isShort,
  MAX_MESSAGE_BYTES,
  truncateTexts,
  unsendableResult,
} from './results/result-size.ts';

export interface CallContext extends Omit<ToolContext, 'note'> {
  /** Notes that follow the result. Whoever passes the list in may add to it until the call ends. */
  notes?: string[];
  /** The name by which the client knows the tool. Default: the tool's own name. */
  calledAs?: string;
}

export async function callTool(
  dialect: Dialect,
  tool: Tool,
  args: unknown,
  given: CallContext,
): Promise<ToolOutcome> {
  const { notes = [], calledAs = tool.name } = given;
  const finding = ignoredIn(tool, args, calledAs);
  const found = finding instanceof Promise ? await finding : finding;
  const isTooMuch = found?.isTooMuch ?? false;
  const ignored = isTooMuch || refusesUnknown(tool) ? undefined : found?.note;
  const { maxTokens } = dialect.keepsToBudget ? budgetBeside(ignored, given) : given;
  const context = toolContext(given, maxTokens, notes);
  let outcome: ToolOutcome;
  try {
    if (isTooMuch) refuseIgnored(calledAs);
    const checking = checkArguments(tool, args);
    const checked = checking instanceof Promise ? await checking : checking;
    outcome = await tool.call(checked, context);
  } catch (error) {
    outcome = failedOutcome(error, dialect, tool, context);
  }
  const hiding = noteHidden(outcome);
  const hidden = hiding instanceof Promise ? await hiding : hiding;
  const also = [...notes];
  if (hidden !== undefined) also.push(hidden);
  if (ignored !== undefined) also.push(ignored);
  // A long result takes time to measure: let other calls run first.
  const due = new Yielder(undefined).pause();
  if (due) await due;
  const noted = dialect.keepsToBudget
    ? fitBudget(withNotes(outcome, notesBeside(outcome, also, given)), given)
    : withNotes(outcome, also);
  return isShort(noted) ? noted : shortEnough(noted, dialect, tool, context);
}

/** Whether the tool refuses arguments that it does not know, so that none can be ignored. */
function refusesUnknown(tool: Tool): boolean {
  return tool.input.additionalProperties === false;
}

/** Makes sure that the client can take the outcome. Most tools keep their results short enough themselves. */
async function shortEnough(
  outcome: ToolOutcome,
  dialect: Dialect,
  tool: Tool,
  context: ToolContext,
): Promise<ToolOutcome> {
  const bytes = await excessBytes(outcome);
  if (bytes === undefined) return outcome;
  if ('error' in outcome || outcome.result.isError) return truncateTexts(outcome);
  if (!tool.hints.readOnly) return { result: unsendableResult(bytes) };
  const instead = 'Ask for less at a time';
  const facts = { kind: 'answer-too-large', bytes, limit: MAX_MESSAGE_BYTES, instead } as const;
  return { ...dialect.failed(facts, tool, context), failure: facts };
}

function failedOutcome(error: unknown, dialect: Dialect, tool: Tool, context: ToolContext): ToolOutcome {
  if (!(error instanceof EngineFailure)) throw error;
  const { facts } = error;
  context.engine.reportFailure(facts);
  return { ...dialect.failed(facts, tool, context), failure: facts };
}

// Every call makes a context. Naming all members takes V8 a fraction of the time that a spread takes.
function toolContext(given: CallContext, maxTokens: number | undefined, notes: string[]): ToolContext {
  const { engine, caller, session, signal, home, settings, progress, printed, explain } = given;
  const note = (text: string) => void notes.push(text);
  return { engine, caller, session, signal, home, settings, maxTokens, progress, printed, note, explain };
}
