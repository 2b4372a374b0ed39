/** The types for a program that offers tools to its own model; `tools.ts` implements them. */
import type { ToolAnnotations, ToolResult } from '../dialects/dialect.ts';

export interface ToolsOptions {
  /** The vocabulary of tools: `standard`, which is the default, or another one that `cofferdam tools` lists. */
  dialect?: string;
  /** Offers only these tools. Default: all tools of the dialect that can succeed here. */
  only?: readonly string[];
  /** Offers `run_command` of the dialect `standard`. */
  allowRun?: boolean;
  /** About how many tokens an answer may have, in dialects that support this. */
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
  /** Called at least once a second while the call is running. */
  onProgress?: ((done: number, message: string) => void) | undefined;
}

export interface ToolAnswer extends ToolResult {
  /** The answer for a model that only reads text. */
  text: string;
  isError: boolean;
}

export interface ModelTools {
  declarations: readonly ToolDeclaration[];
  /** Tell the model this once, before its first call; empty if the dialect has no instructions. */
  instructions: string;
  /**
   * Never rejects: an error is an answer with `isError`, for the model to read. Calls that touch the same paths are
   * performed in the order in which they are made.
   */
  call(name: string, args: unknown, options?: ToolCallOptions): Promise<ToolAnswer>;
}
