/** Calls that come to no tool: each is in the trace all the same. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { App } from './app.ts';
import { offeredTools } from './offered-tools.ts';

type Params = Readonly<Record<string, unknown>>;

/** Where there is no name, something must stand in its place. */
const NO_NAME = '-';

/** `message` is what the client is told. */
export function traceUnknownTool(app: App, sessionId: string, params: Params, message: string): void {
  trace(app, { sessionId, params, message, failure: 'unknown-tool' });
}

/** For a message that is answered as wrong before anybody looks for the tool; only calls are taken down. */
export function traceInvalidCall(
  app: App,
  sessionId: string | undefined,
  wrong: JSONRPCMessage,
  message: string,
): void {
  if (!('method' in wrong) || wrong.method !== 'tools/call' || !('id' in wrong)) return;
  trace(app, { sessionId, params: wrong.params ?? {}, message, failure: 'bad-arguments' });
}

interface Refused {
  sessionId: string | undefined;
  params: Params;
  message: string;
  failure: string;
}

function trace(app: App, { sessionId: session, params, message, failure }: Refused): void {
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
    .answered({ bytesOut: Buffer.byteLength(message), text: message, failure });
}
