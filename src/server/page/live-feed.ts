/**
 * The latest events, numbered, from which every open page reads at its own pace.
 *
 * A cursor names a feed and a number in it. A page with a cursor gets exactly the events after it. A page whose cursor
 * is too old, or belongs to another feed, must load everything again.
 */
import { randomBytes } from 'node:crypto';
import type { PageEvent } from '../../page/wire.ts';
import type { TraceEvent } from '../../trace/events/event.ts';
import type { PageEvents } from './sources.ts';

/** How much the feed keeps for pages that are behind. */
const MAX_ITEMS = 20_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** The feed stops following the log after no page has asked for this long. */
const IDLE_MS = 10 * 60_000;

export interface FeedItem {
  who: string | undefined;
  json: string;
}

export class LiveFeed {
  readonly #events: PageEvents;
  readonly #isShown: (event: TraceEvent) => boolean;
  readonly #listeners = new Set<() => void>();
  #name = '';
  #items: FeedItem[] = [];
  #bytes = 0;
  /** The number of the first item in the feed. */
  #first = 0;
  #endFollowing: (() => void) | undefined;
  #usedAt = 0;

  constructor(events: PageEvents, isShown: (event: TraceEvent) => boolean) {
    this.#events = events;
    this.#isShown = isShown;
  }

  /** The current end of the feed. Starts to follow the log if the feed does not do so yet. */
  position(now: number): number {
    this.#usedAt = now;
    this.#begin();
    return this.#end;
  }

  cursorAt(position: number): string {
    return `${this.#name}.${position}`;
  }

  /** The position of a cursor; undefined if the feed no longer has all events after it. */
  positionAfter(cursor: string): number | undefined {
    const [, name, digits] = /^([\w-]{1,40})\.(\d{1,15})$/.exec(cursor) ?? [];
    if (name === undefined || name !== this.#name) return undefined;
    const position = Number(digits);
    return this.has(position) ? position : undefined;
  }

  /** Whether the feed has all events from this position on. */
  has(position: number): boolean {
    return position >= this.#first && position <= this.#end;
  }

  itemsFrom(position: number, most: number): FeedItem[] {
    const at = position - this.#first;
    return this.#items.slice(at, at + most);
  }

  /** Adds a listener for new events, and gives a function that removes it. */
  onMore(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tick(now: number): void {
    if (this.#listeners.size > 0) this.#usedAt = now;
    else if (now - this.#usedAt >= IDLE_MS) this.close();
  }

  close(): void {
    this.#endFollowing?.();
    this.#endFollowing = undefined;
    this.#items = [];
    this.#bytes = 0;
    this.#first = 0;
  }

  get #end(): number {
    return this.#first + this.#items.length;
  }

  #begin(): void {
    if (this.#endFollowing) return;
    this.#name = randomBytes(6).toString('base64url');
    this.#endFollowing = this.#events.follow((events) => this.#take(events));
  }

  #take(events: readonly TraceEvent[]): void {
    const before = this.#end;
    for (const event of events) {
      if (!this.#isShown(event)) continue;
      const json = JSON.stringify(asPageEvent(event));
      this.#items.push({ who: event.who, json });
      this.#bytes += json.length;
    }
    this.#forgetOldest();
    if (this.#end === before) return;
    for (const tell of this.#listeners) tell();
  }

  #forgetOldest(): void {
    let gone = 0;
    while (this.#items.length - gone > MAX_ITEMS || this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#items[gone]!.json.length;
      gone++;
    }
    if (gone === 0) return;
    this.#items.splice(0, gone);
    this.#first += gone;
  }
}

export function asPageEvent({ arguments: said, answer, ...event }: TraceEvent): PageEvent {
  return said === undefined && answer === undefined ? event : { ...event, contents: true };
}
