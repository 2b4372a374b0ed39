/** `cofferdam call`: one tool call from a shell. */
import type { Content, ToolResult } from '../dialects/dialect.ts';
import { type App, offerTools } from '../server/mcp/app.ts';
import { perform, sessionIdOf } from '../server/mcp/perform.ts';
import { notConfined } from './start.ts';
import { namesInstead } from './suggest.ts';
import { UsageError } from './usage-error.ts';

export interface CallOutcome {
  output: string;
  failed: boolean;
}

/** What is served for one call. */
export interface CallApp extends App {
  /** Why changes are not kept although nobody asked for that, for the operator. */
  unkept: string | undefined;
}

export async function callOnce(
  app: CallApp,
  name: string,
  json: string,
  signal: AbortSignal,
  explained: boolean,
): Promise<CallOutcome> {
  const offered = offerTools(app.dialects);
  const found = offered.get(name);
  if (!found)
    throw new UsageError(`unknown tool '${name}'${namesInstead(name, 'tools', [...offered.keys()])}`);
  if (app.unkept !== undefined && !found.tool.hints.readOnly) app.log(app.unkept);
  const why = found.tool.startsPrograms ? app.engine.commands.whyUnconfined() : undefined;
  if (why !== undefined) app.log(`commands: ${notConfined(why)}`);
  const state = {};
  const outcome = await perform({
    app,
    state,
    sessionId: sessionIdOf(state),
    offered: found,
    args: parseJson(json),
    signal,
    ...(explained && { explain: app.log }),
  });
  if ('error' in outcome)
    return { output: `error ${outcome.error.code}: ${outcome.error.message}\n`, failed: true };
  return { output: resultAsText(outcome.result), failed: outcome.result.isError === true };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UsageError(`the arguments are not valid JSON: ${(error as Error).message}`);
  }
}

function resultAsText({ content }: ToolResult): string {
  return content.map((item) => endLine(contentAsText(item))).join('');
}

function contentAsText(item: Content): string {
  if (item.type === 'text') return item.text;
  const { uri, mimeType, blob } = item.resource;
  return `[${uri}, ${mimeType}, base64]\n${blob}`;
}

function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
