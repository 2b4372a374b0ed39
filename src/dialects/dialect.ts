/**
 * What a dialect is: a vocabulary of tools over one engine, and its own words for every failure.
 *
 * A tool is one small declaration: what clients see of it, what it asks of the engine (`run`), and how it words
 * the result (`render`). Anything longer belongs in the engine.
 */
import { type Caller, type Engine, type Failure, type RootInfo, Yielder } from '../engine/index.ts';
import type { FromSchema, ObjectSchema } from './arguments/schema.ts';
import type { ReadTexts } from './read-texts.ts';

export interface ToolHints {
  /** Changes nothing. */
  readOnly: boolean;
  /** May overwrite or remove what was there. */
  destructive: boolean;
  /** Calling it twice with the same arguments does no more than calling it once. */
  idempotent: boolean;
  /** Reaches beyond the given directories. */
  openWorld: boolean;
}

/** The title and the hints as MCP and the library show them to the person who approves calls. */
export interface ToolAnnotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export type Content =
  | { type: 'text'; text: string }
  /** `data` is base64. */
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } };

export interface ToolResult {
  content: Content[];
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  /** For programs, not for models. */
  _meta?: Record<string, unknown>;
}

export interface ProtocolError {
  code: number;
  message: string;
  data?: unknown;
}

/** A failure as the trace knows it: the engine's facts, or a kind and a sentence that quotes no content. */
export type TracedFailure = Failure | WordedFailure;

export interface WordedFailure {
  kind: string;
  sentence: string;
}

/** A tool result. A tool that words a failure itself names it here, for the trace. */
export interface ResultOutcome {
  result: ToolResult;
  failure?: TracedFailure | undefined;
}

/** How a call ends. A dialect reports a failure as a protocol error, or as a result marked as an error. */
export type ToolOutcome = ResultOutcome | { error: ProtocolError; failure?: TracedFailure | undefined };

/** What one client's session may keep between calls. */
export interface Session {
  /** The directory that the client chose to work in, where a dialect lets it choose. */
  workspace?: Engine;
  /** The address that the client connected to names the workspace, so no call can choose another. */
  workspaceIsFixed?: boolean;
  /** What the client has read. A dialect may remember it to understand later edits. */
  readTexts?: ReadTexts;
}

export interface ToolContext {
  /** Acts on behalf of `caller`. */
  engine: Engine;
  /** Who makes the call. */
  caller: Caller;
  session: Session;
  signal: AbortSignal;
  /** The operator's home directory, for paths that start with `~/`. */
  home: string;
  /** Environment settings that a dialect's document names. */
  settings: Readonly<Record<string, string | undefined>>;
  /** About how many tokens an answer may hold, in dialects that keep to a budget. Default: 20,000. */
  maxTokens?: number | undefined;
  /** Sends progress to a client that asked for it, unless the value is no higher than the last one. */
  progress(done: number, message: string): void;
  /** Receives the output of a running command, for progress messages. */
  printed?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined;
  /** Adds a note to the result, as a text item of its own at the end. */
  note(note: string): void;
  /** Reports how the engine carried out the call, to an operator who asked for it (`--explain`). */
  explain?: ((note: string) => void) | undefined;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  hints: ToolHints;
  input: ObjectSchema;
  /** Other names that the tool accepts for its arguments but does not show. The real name wins over an alias. */
  aliases: Readonly<Record<string, string>>;
  /** Starts programs: the server does not offer it where a sandbox is required and missing. */
  startsPrograms: boolean;
  /** Offered only to operators who ask for it (`--allow-run`), and only in a sandbox unless they do without one. */
  needsAllowRun: boolean;
  /** Can change something, but is useful on a read-only server too: it previews, or chooses a workspace. */
  usefulReadOnly: boolean;
  /** Clients that support views show the change that a call has made, see `Dialect.changeView`. */
  hasChangeView: boolean;
  call(args: Record<string, unknown>, context: ToolContext): Promise<ResultOutcome>;
}

/** A string stands for a result of one text item. */
type Rendered = string | ToolResult | ResultOutcome;

export interface DeclaredTool<S extends ObjectSchema, V> {
  name: string;
  title: string;
  description: string;
  hints: ToolHints;
  input: S;
  aliases?: Readonly<Record<string, string>>;
  startsPrograms?: boolean;
  needsAllowRun?: boolean;
  usefulReadOnly?: boolean;
  hasChangeView?: boolean;
  run(args: FromSchema<S>, context: ToolContext): Promise<V>;
  render(value: V, args: FromSchema<S>, note: ToolContext['note']): Rendered | Promise<Rendered>;
}

/** What is served, for the instructions of a dialect. */
export interface ServedFacts {
  /** Empty when the client names its own roots. */
  directories: readonly RootInfo[];
  /** The server keeps changes, so they can be undone. */
  canUndo: boolean;
  /** Whether tools/list names this tool. */
  offers(tool: string): boolean;
}

export interface Dialect {
  name: string;
  /** One line for listings. */
  summary: string;
  tools: readonly Tool[];
  /** Names for sets of tools, for operators who offer only some of them. */
  toolsets?: Readonly<Record<string, readonly string[]>>;
  /** Serves only the first of the given directories. */
  servesOne?: true;
  /** The environment setting that names the directory to serve when the command line names none. */
  rootSetting?: string;
  /** Clients choose a workspace for their later calls, so the server must recognise each client. */
  choosesWorkspace?: boolean;
  /** No answer holds more than `maxTokens`. */
  keepsToBudget?: true;
  /** Files are resources too: lists, reads, completion of paths and subscriptions. */
  servesResources?: true;
  /** The roots of a client narrow what is served to it. */
  followsClientRoots?: true;
  /** How the view of a change works: the tool that reads the change, hidden from models, and the one that undoes it. */
  changeView?: { show: Tool; undo: string };
  /** The instructions that a client's model gets at the start. */
  instructions?(served: ServedFacts): string;
  /** What is wrong with the environment settings of this dialect, in one line; undefined when nothing is. */
  checkSettings?(settings: ToolContext['settings']): string | undefined;
  failed(facts: Failure, tool: Tool, context: ToolContext): ToolOutcome;
}

export function defineTool<const S extends ObjectSchema, V>(declaration: DeclaredTool<S, V>): Tool {
  const { run, render, aliases = {}, ...rest } = declaration;
  const { startsPrograms = false, needsAllowRun = false, usefulReadOnly = false, ...others } = rest;
  const { hasChangeView = false, ...shown } = others;
  return {
    ...shown,
    aliases,
    startsPrograms,
    needsAllowRun,
    usefulReadOnly,
    hasChangeView,
    async call(args, context) {
      const checked = args as FromSchema<S>;
      const value = await run(checked, context);
      // Rendering a long result takes time: let other calls run first.
      const due = new Yielder(undefined).pause();
      if (due) await due;
      const rendering = render(value, checked, context.note);
      const rendered = rendering instanceof Promise ? await rendering : rendering;
      if (typeof rendered === 'string') return { result: { content: [text(rendered)] } };
      return 'result' in rendered ? rendered : { result: rendered };
    },
  };
}

export function text(value: string): Content {
  return { type: 'text', text: value };
}

const readOnly: ToolHints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const additive: ToolHints = { ...readOnly, readOnly: false, idempotent: false };
const destructive: ToolHints = { ...additive, destructive: true };

/** The usual combinations. Every tool states all four hints: clients assume the worst of one that is missing. */
export const hints = {
  readOnly,
  additive,
  idempotentAdditive: { ...additive, idempotent: true },
  destructive,
  idempotentDestructive: { ...destructive, idempotent: true },
  openWorld: { ...destructive, openWorld: true },
} as const satisfies Record<string, ToolHints>;
