/** Serves one client on standard input and output, whichever protocol version it speaks. */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { App } from '../mcp/app.ts';
import { isPlainInitialize } from '../mcp/messages/initialize.ts';
import { traceInvalidCall } from '../mcp/tools/refused-calls.ts';
import { Conversation } from './conversation.ts';
import { LineTransport } from './line-transport.ts';

/** A pause of this length means that the client has finished its opening requests. */
const PAUSE_MS = 100;
const MAX_OPENING_MS = 2000;

export interface Serving {
  /** Settles when the client first pauses or disconnects, or after two seconds. Slow start-up work waits for it. */
  opened: Promise<void>;
  /** Settles when the client has disconnected and has all answers; rejects if it cannot be served at all. */
  done: Promise<void>;
  stop(): Promise<void>;
}

export interface StdioOptions {
  /** Whether to serve every client with the protocol library, even those that do not need it. */
  byLibrary?: boolean;
}

export function serveOnStdio(
  app: App,
  input: Readable,
  output: Writable,
  { byLibrary = false }: StdioOptions = {},
): Serving {
  const wire = new LineTransport(input, output);
  let stop = () => wire.close();
  let ended = false;
  let failed: (error: unknown) => void;
  const done = new Promise<void>((resolve, reject) => {
    failed = reject;
    wire.onclose = () => {
      ended = true;
      resolve();
    };
  });
  wire.onerror = (error) => app.log(error.message);
  wire.oninvalid = (message, answer) => traceInvalidCall(app, undefined, message, answer);

  const converse = () => {
    const conversation = new Conversation(app, wire);
    const { onclose } = wire;
    wire.onmessage = (message) => conversation.receive(message);
    wire.oninvalid = (message, answer) => conversation.invalid(message, answer);
    wire.onclose = () => {
      conversation.end();
      onclose?.();
    };
  };
  /** Messages that arrive while the library loads wait for it. */
  const handOver = (first: JSONRPCMessage) => {
    const waiting = [first];
    wire.onmessage = (message) => waiting.push(message);
    import('./library-lane.ts')
      .then(({ serveByLibrary }) => {
        if (!ended) stop = serveByLibrary(app, wire, waiting).stop;
      })
      .catch(failed);
  };
  wire.onmessage = (first) => {
    if (byLibrary || !isPlainInitialize(first)) return handOver(first);
    converse();
    wire.onmessage?.(first);
  };
  wire.start();
  return { opened: firstPause(input, done), done, stop: () => stop() };
}

function firstPause(input: Readable, done: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    // Do not use `performance` here: its first use takes a millisecond.
    const latest = Date.now() + MAX_OPENING_MS;
    const over = () => {
      clearTimeout(timer);
      input.off('data', more);
      resolve();
    };
    const timer = setTimeout(over, PAUSE_MS);
    const more = () => {
      if (Date.now() < latest) timer.refresh();
    };
    input.on('data', more);
    done.then(over, over);
  });
}
