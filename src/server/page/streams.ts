/** Sends events to a page: the stored ones, then new ones, never faster than the page reads them. */

import { CURSOR_HEADER } from '../../page/wire.ts';
import type { TraceEvent } from '../../trace/events/event.ts';
import type { Reply } from '../web/reply.ts';
import type { Grant } from '../web/tokens/tokens.ts';
import { asPageEvent, type LiveFeed } from './live-feed.ts';
import { seesCallsOf } from './visibility.ts';

const BATCH_BYTES = 64 * 1024;
const BATCH_ITEMS = 200;

/** Sends one event per line. The caller must take the cursor before it reads the events: then the page misses none. */
export async function sendEvents(reply: Reply, events: readonly TraceEvent[], cursor: string): Promise<void> {
  if (reply.done) return;
  reply.head(200, {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Cache-Control': 'no-store',
    [CURSOR_HEADER]: cursor,
  });
  reply.response.flushHeaders();
  let batch = '';
  for (const event of events) {
    batch += `${JSON.stringify(asPageEvent(event))}\n`;
    if (batch.length < BATCH_BYTES) continue;
    reply.write(batch);
    batch = '';
    await drained(reply);
    if (reply.done) return;
  }
  if (batch !== '') reply.write(batch);
  reply.end();
}

/** Sends the events after the cursor, and then new ones. If the cursor is too old, tells the page to start again. */
export function sendLive(reply: Reply, feed: LiveFeed, grant: Grant, cursor: string | undefined): void {
  reply.isEndless = true;
  reply.startEvents();
  const from = cursor === undefined ? feed.position(Date.now()) : positionOf(feed, cursor);
  if (from === undefined) {
    reply.write('event: reset\ndata: {}\n\n');
    reply.end();
    return;
  }
  const stream = new LiveStream(reply, feed, grant, from);
  reply.whenOver(() => stream.end());
  stream.begin();
}

function positionOf(feed: LiveFeed, cursor: string): number | undefined {
  feed.position(Date.now());
  return feed.positionAfter(cursor);
}

class LiveStream {
  readonly #reply: Reply;
  readonly #feed: LiveFeed;
  readonly #grant: Grant;
  #position: number;
  #sending = false;
  #endListening: (() => void) | undefined;

  constructor(reply: Reply, feed: LiveFeed, grant: Grant, from: number) {
    this.#reply = reply;
    this.#feed = feed;
    this.#grant = grant;
    this.#position = from;
  }

  begin(): void {
    this.#endListening = this.#feed.onMore(() => void this.#send());
    // Tell the page at once that the stream is open, and from which cursor on.
    this.#reply.write(`id: ${this.#feed.cursorAt(this.#position)}\ndata: []\n\n`);
    void this.#send();
  }

  end(): void {
    this.#endListening?.();
  }

  /** Unread events stay in the feed, which all pages share, and are not buffered for each connection. */
  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    while (!this.#reply.done) {
      if (!this.#feed.has(this.#position)) {
        this.#reply.destroy();
        break;
      }
      const items = this.#feed.itemsFrom(this.#position, BATCH_ITEMS);
      if (items.length === 0) break;
      this.#position += items.length;
      const shown = items.filter(({ who }) => seesCallsOf(this.#grant, who)).map(({ json }) => json);
      if (shown.length > 0) {
        this.#reply.write(`id: ${this.#feed.cursorAt(this.#position)}\ndata: [${shown.join(',')}]\n\n`);
      }
      await drained(this.#reply);
    }
    this.#sending = false;
  }
}

/** Waits until the client has read enough of what was written, or has disconnected. */
function drained({ done, response }: Reply): Promise<void> | undefined {
  if (done || !response.writableNeedDrain) return undefined;
  return new Promise((resolve) => {
    const proceed = () => {
      response.off('drain', proceed).off('close', proceed);
      resolve();
    };
    response.once('drain', proceed).once('close', proceed);
  });
}
