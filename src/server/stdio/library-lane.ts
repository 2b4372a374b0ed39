/** Serves a client on stdio with the protocol library: a client of version 2026-07-28, or one that begins unusually. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { App } from '../mcp/app.ts';
import { withExactCode } from '../mcp/library/exact-codes.ts';
import { createSession } from '../mcp/library/session.ts';
import type { Id } from '../mcp/messages/json-rpc.ts';
import { ListenedResources } from '../mcp/resources/listened-resources.ts';
import type { LineTransport } from './line-transport.ts';

export interface LibraryLane {
  stop(): Promise<void>;
}

/** Takes over a transport that is already running; `waiting` has the messages that arrived before. */
export function serveByLibrary(
  app: App,
  wire: LineTransport,
  waiting: readonly JSONRPCMessage[],
): LibraryLane {
  const onerror = (error: Error) => app.log(error.message);
  const closed = wire.onclose;
  let server: ReturnType<typeof createSession> | undefined;
  // The library adds the subscription id to these notifications and sends them to all listeners.
  const listened = new ListenedResources(app, {
    updated: (uri) => void server?.sendResourceUpdated({ uri }).catch(() => {}),
    listChanged: () => void server?.sendResourceListChanged().catch(() => {}),
  });
  const transport: Transport = {
    async start() {
      wire.onmessage = (message) => {
        const listening = followListening(listened, message);
        if (listening === undefined) transport.onmessage?.(message);
        else void listening.then((isWanted) => isWanted && transport.onmessage?.(message));
      };
      wire.onerror = (error) => transport.onerror?.(error);
      wire.onclose = () => {
        listened.end();
        transport.onclose?.();
        closed?.();
      };
    },
    send: (message) => wire.send(withExactCode(message)),
    close: () => wire.close(),
  };
  const serve = () => {
    server = createSession(app);
    return server;
  };
  const handle = serveStdio(serve, { transport, onerror });
  for (const message of waiting) wire.onmessage?.(message);
  return { stop: () => handle.close() };
}

/** Watches what the client listens to, and then gives whether it still listens; undefined for other messages. */
function followListening(listened: ListenedResources, message: JSONRPCMessage): Promise<boolean> | undefined {
  if (!('method' in message)) return undefined;
  if ('id' in message) return listened.open(message.id, message);
  if (message.method === 'notifications/cancelled') listened.close(message.params?.requestId as Id);
  return undefined;
}
