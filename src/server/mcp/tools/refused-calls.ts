/** Calls that never reach a tool: what the client gets, and what the trace records. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { ToolOutcome } from '../../../dialects/dialect.ts';
import type { App } from '../app.ts';
import { asConfigured } from '../error-results.ts';
import { INVALID_PARAMS, type Params } from '../messages/json-rpc.ts';
import { isToolCall } from '../messages/messages.ts';
import { offeredTools, unknownTool } from './offered-tools.ts';

/** The tool name in the trace when the call has none. */
const NO_NAME = '-';

/** Answers a call of an unknown tool, and records it. */
export function refuseUnknownTool(app: App, sessionId: string, params: Params): ToolOutcome {
  const message = unknownTool(params.name as string, offeredTools(app));
  trace(app, { sessionId, params, message, failure: 'unknown-tool' });
  return asConfigured(app, { error: { code: INVALID_PARAMS, message } });
}

/** Records a call whose params are invalid; ignores any other message. */
export function traceInvalidCall(
  app: App,
  sessionId: string | undefined,
  wrong: JSONRPCMessage,
  message: string,
): void {
  if (!isToolCall(wrong)) return;
  trace(app, { sessionId, params: wrong.params ?? {}, message, failure: 'bad-arguments' });
}

interface RefusedCall {
  sessionId: string | undefined;
  params: Params;
  message: string;
  failure: string;
}

function trace(app: App, { sessionId: session, params, message, failure }: RefusedCall): void {
  const { name, arguments: args, _meta: meta } = params;
  const sent = typeof name === 'string' && name !== '' ? name : NO_NAME;
  const found = offeredTools(app).byName.get(sent);
  app.trace
    ?.begin({
      session,
      who: app.who,
      dialect: found?.dialect.name ?? app.dialects.map((dialect) => dialect.name).join(', '),
      tool: found?.tool.name ?? sent,
      arguments: args,
      traceparent: (meta as Params | null | undefined)?.traceparent,
    })
    .answered({ bytesOut: Buffer.byteLength(message), text: message, failure, reason: message });
}
