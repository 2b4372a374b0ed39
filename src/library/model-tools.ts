/** What a program gets that offers tools to its own model; `tools.ts` makes it. */
import type { ToolAnnotations, ToolResult } from '../dialects/dialect.ts';

export interface ToolsOptions {
  /** Which vocabulary of tools: `standard`, which is the default, or another one of `cofferdam tools`. */
  dialect?: string;
  /** Only these tools. Default: all of the dialect that can succeed here. */
  only?: readonly string[];
  /** Offers `run_command` of the dialect `standard`. */
  allowRun?: boolean;
  /** About how many tokens an answer may hold, in dialects that keep to that. */
  maxTokens?: number;
}

export interface ToolDeclaration {
  name: string;
  title: string;
  description: string;
  inputSchema: InputSchema;
  annotations: ToolAnnotations;
}

/** The JSON Schema of a tool's arguments. */
export interface InputSchema {
  type: 'object';
  properties: Record<string, object>;
  required?: string[];
  additionalProperties?: boolean;
}

export interface ToolCallOptions {
  signal?: AbortSignal | undefined;
  /** Hears at least once a second that the call is still running. */
  onProgress?: ((done: number, message: string) => void) | undefined;
}

export interface ToolAnswer extends ToolResult {
  /** What a model that reads only text gets to read. */
  text: string;
  isError: boolean;
}

export interface ModelTools {
  declarations: readonly ToolDeclaration[];
  /** What the model should be told once, before its first call; empty where the dialect has nothing to say. */
  instructions: string;
  /**
   * Never rejects: what went wrong is an answer with `isError`, for the model to read. Calls that touch the same paths
   * are performed in the order in which they are made.
   */
  call(name: string, args: unknown, options?: ToolCallOptions): Promise<ToolAnswer>;
}
