/** `cofferdam call`: one tool call from a shell. */
import type { Content, ToolResult } from '../dialects/dialect.ts';
import { endLine } from '../display/end-line.ts';
import { offerTools } from '../server/mcp/app.ts';
import { perform } from '../server/mcp/perform.ts';
import { sessionIdOf } from '../server/mcp/session-state.ts';
import { needsSandbox, withOfferableTools } from '../server/mcp/tools/offerable-tools.ts';
import { offeredTools } from '../server/mcp/tools/offered-tools.ts';
import type { CommandTo } from './arguments/parse.ts';
import { namesInstead } from './arguments/suggest.ts';
import { type Outcome, printOutcome } from './output.ts';
import { closeApp, type OpenApp, openApp } from './serve/open-app.ts';
import { notConfined } from './serve/start-up.ts';
import { openFleet } from './state/fleet.ts';
import type { Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

export async function call(
  { tool, json, roots, options }: CommandTo<'call'>,
  surroundings: Surroundings,
): Promise<number> {
  const opened = openApp(roots, options, surroundings, await openFleet(options.state, roots));
  const { sandbox: mode } = options.commands;
  const app = needsSandbox(opened) ? await withOfferableTools(opened, { mode }) : opened;
  const aborting = new AbortController();
  const abort = () => aborting.abort();
  process.once('SIGINT', abort);
  try {
    return await printOutcome(await callOnce(app, tool, json, aborting.signal, options.explain));
  } finally {
    process.removeListener('SIGINT', abort);
    await closeApp(app);
  }
}

async function callOnce(
  app: OpenApp,
  name: string,
  json: string,
  signal: AbortSignal,
  explains: boolean,
): Promise<Outcome> {
  const offered = offerTools(app.dialects);
  const found = offered.get(name);
  if (!found) {
    const tools = offeredTools(app).shown.map((tool) => tool.name);
    throw new UsageError(`unknown tool '${name}'${namesInstead(name, 'tools', tools)}`);
  }
  if (app.whyNoUndo !== undefined && !found.tool.hints.readOnly) app.log(app.whyNoUndo);
  const why = found.tool.startsPrograms ? app.engine.whyUnconfined() : undefined;
  if (why !== undefined) app.log(`commands: ${notConfined(why)}`);
  const state = {};
  const outcome = await perform({
    app,
    state,
    sessionId: sessionIdOf(state),
    offered: found,
    args: parseJson(json),
    signal,
    ...(explains && { explain: app.log }),
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
  if (item.type !== 'resource') return `[${item.mimeType}, base64]\n${item.data}`;
  const { uri, mimeType, blob } = item.resource;
  return `[${uri}, ${mimeType}, base64]\n${blob}`;
}
