/** Serves one client on standard input and output, in whichever protocol era it speaks. */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { App } from '../mcp/app.ts';
import { beginsPlainly } from '../mcp/initialize.ts';
import { traceInvalidCall } from '../mcp/refused-calls.ts';
import { Conversation } from './conversation.ts';
import { LineTransport } from './line-transport.ts';

/** A client that has its tools pauses for at least as long. */
const PAUSE_MS = 100;
const LONGEST_OPENING_MS = 2000;

export interface Serving {
  /** Settles when the client pauses for the first time, or talks on and on, or has gone: others may compute now. */
  opened: Promise<void>;
  /** Settles when the client has gone and everything is answered; fails when it cannot be served at all. */
  done: Promise<void>;
  stop(): Promise<void>;
}

export interface StdioOptions {
  /** Serves also those clients by the protocol library that can be served without it. */
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
  /** What comes while the library is being loaded waits for it. */
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
    if (byLibrary || !beginsPlainly(first)) return handOver(first);
    converse();
    wire.onmessage?.(first);
  };
  wire.start();
  return { opened: firstPause(input, done), done, stop: () => stop() };
}

function firstPause(input: Readable, done: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    // Not `performance`: to ask for that takes a millisecond the first time.
    const latest = Date.now() + LONGEST_OPENING_MS;
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
