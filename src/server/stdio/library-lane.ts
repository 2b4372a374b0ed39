/** Serves a client on stdio with the protocol library: a client of version 2026-07-28, or one that begins unusually. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { App } from '../mcp/app.ts';
import { withExactCode } from '../mcp/exact-codes.ts';
import { createSession } from '../mcp/session.ts';
import type { LineTransport } from './line-transport.ts';

export interface LibraryLane {
  stop(): Promise<void>;
}

/** Takes over a transport that runs already; `waiting` has the messages that arrived before. */
export function serveByLibrary(
  app: App,
  wire: LineTransport,
  waiting: readonly JSONRPCMessage[],
): LibraryLane {
  const onerror = (error: Error) => app.log(error.message);
  const closed = wire.onclose;
  const transport: Transport = {
    async start() {
      wire.onmessage = (message) => transport.onmessage?.(message);
      wire.onerror = (error) => transport.onerror?.(error);
      wire.onclose = () => {
        transport.onclose?.();
        closed?.();
      };
    },
    send: (message) => wire.send(withExactCode(message)),
    close: () => wire.close(),
  };
  const handle = serveStdio(() => createSession(app), { transport, onerror });
  for (const message of waiting) transport.onmessage?.(message);
  return { stop: () => handle.close() };
}
