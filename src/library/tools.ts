/** The tools of a dialect for a model in the same program; calls are performed like those of a server's client. */
import { defaultDialect, dialectNamed, dialectNames } from '../dialects/by-name.ts';
import type { Content, Dialect, ToolResult } from '../dialects/dialect.ts';
import { withTools } from '../dialects/with-tools.ts';
import type { Engine } from '../engine/index.ts';
import type { App } from '../server/mcp/app.ts';
import { newCallLimit } from '../server/mcp/concurrency-limit.ts';
import { asResult } from '../server/mcp/error-results.ts';
import { serverDescription } from '../server/mcp/messages/initialize.ts';
import { endState, sessionIdOf } from '../server/mcp/session-state.ts';
import { withOfferableTools } from '../server/mcp/tools/offerable-tools.ts';
import { offeredTools } from '../server/mcp/tools/offered-tools.ts';
import { ToolCalls } from '../server/mcp/tools/tool-calls.ts';
import { openRecorder } from '../trace/open.ts';
import { version } from '../version.ts';
import type { InputSchema, ModelTools, ToolAnswer, ToolsOptions } from './model-tools.ts';
import type { Opened } from './open-files.ts';

export async function openModelTools(
  engine: Engine,
  opened: Opened,
  options: ToolsOptions,
): Promise<{ tools: ModelTools; close(): Promise<void> }> {
  const { environment, home, log, source, sandbox } = opened;
  const dialect = chooseDialect(options, engine, environment);
  const roots = engine.roots.map(({ real }) => real);
  // No variables, so no telemetry: exporting spans is up to the program.
  const trace = openRecorder({ source, roots, contents: false, version, environment: {}, log });
  const { maxTokens } = options;
  const app: App = await withOfferableTools(
    {
      ...{ version, engine, dialects: [dialect], home, settings: environment, errors: 'results' },
      ...{ maxTokens, trace, log },
    },
    { mode: sandbox, probe: true },
  );
  const state = {};
  const calls = new ToolCalls({ app, state, sessionId: sessionIdOf(state), callLimit: newCallLimit() });
  const declarations = offeredTools(app).shown.map((tool) => {
    return { ...tool, inputSchema: tool.inputSchema as InputSchema };
  });
  const { instructions = '' } = serverDescription(app);
  const call: ModelTools['call'] = async (name, args, { signal, onProgress } = {}) => {
    const around = { signal: signal ?? new AbortController().signal, meta: undefined, progress: onProgress };
    return answerOf(asResult(await calls.call({ name, arguments: args }, around)).result);
  };
  const close = async () => {
    endState(state);
    await trace.close();
  };
  return { tools: { declarations, instructions, call }, close };
}

function answerOf(result: ToolResult): ToolAnswer {
  return { ...result, text: result.content.map(textOf).join('\n'), isError: result.isError === true };
}

function textOf(item: Content): string {
  if (item.type === 'text') return item.text;
  return `[${item.type === 'resource' ? item.resource.mimeType : item.mimeType}]`;
}

/** Throws a `RangeError` for mistakes of the program, which no model can correct. */
function chooseDialect(options: ToolsOptions, engine: Engine, environment: Opened['environment']): Dialect {
  const { dialect: name = defaultDialect, only, allowRun = false } = options;
  const whole = dialectNamed(name);
  if (!whole) throw new RangeError(`unknown dialect '${name}': it is one of ${dialectNames.join(', ')}`);
  if (whole.servesOne && engine.roots.length > 1)
    throw new RangeError(`the dialect ${name} serves one directory, and ${engine.roots.length} are open`);
  const problem = whole.checkSettings?.(environment);
  if (problem !== undefined) throw new RangeError(problem);
  const allowed = withTools(whole, ({ needsAllowRun }) => allowRun || !needsAllowRun);
  if (only === undefined) return allowed;
  const known = allowed.tools.map((tool) => tool.name);
  const unknown = only.find((each) => !known.includes(each));
  if (unknown !== undefined)
    throw new RangeError(`unknown tool '${unknown}': the tools of ${name} are ${known.join(', ')}`);
  return withTools(allowed, (tool) => only.includes(tool.name));
}
