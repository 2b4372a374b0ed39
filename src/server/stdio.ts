/** Serves one client on standard input and output, in whichever protocol era it speaks. */
import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { App } from './app.ts';
import { LineTransport } from './line-transport.ts';
import { createSession } from './session.ts';

export interface Serving {
  /** Settles when the client has gone and everything is answered. */
  done: Promise<void>;
  stop(): Promise<void>;
}

export function serveOnStdio(app: App, input: Readable, output: Writable): Serving {
  const transport = new LineTransport(input, output);
  const onerror = (error: Error) => app.log(error.message);
  const handle = serveStdio(() => createSession(app), { transport, onerror });
  const closedByServer = transport.onclose;
  const done = new Promise<void>((resolve) => {
    transport.onclose = () => {
      closedByServer?.();
      resolve();
    };
  });
  return { done, stop: () => handle.close() };
}
