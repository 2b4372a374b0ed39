/** Records calls in the trace that never reach a tool. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { App } from '../app.ts';
import { offeredTools } from './offered-tools.ts';

type Params = Readonly<Record<string, unknown>>;

/** The tool name in the trace when the call has none. */
const NO_NAME = '-';

/** Records a call of an unknown tool; `message` is the error that the client gets. */
export function traceUnknownTool(app: App, sessionId: string, params: Params, message: string): void {
  trace(app, { sessionId, params, message, failure: 'unknown-tool' });
}

/** Records a call whose params are invalid; ignores any other message. */
export function traceInvalidCall(
  app: App,
  sessionId: string | undefined,
  wrong: JSONRPCMessage,
  message: string,
): void {
  if (!('method' in wrong) || wrong.method !== 'tools/call' || !('id' in wrong)) return;
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
