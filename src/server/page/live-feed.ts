/**
 * What happened last, numbered: from here every open page is told, at its own pace.
 *
 * A cursor names this feed and a number in it. Whoever comes with one gets exactly what came after; whoever was
 * away for too long, or knew another feed, is told to begin again.
 */
import { randomBytes } from 'node:crypto';
import type { PageEvent } from '../../page/wire.ts';
import type { TraceEvent } from '../../trace/event.ts';
import type { PageEvents } from './sources.ts';

/** Kept for those that are behind. */
const MOST_ITEMS = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Nobody looked for so long: nothing is followed any more. */
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
  /** The number of the first item that is kept. */
  #first = 0;
  #endFollowing: (() => void) | undefined;
  #usedAt = 0;

  constructor(events: PageEvents, isShown: (event: TraceEvent) => boolean) {
    this.#events = events;
    this.#isShown = isShown;
  }

  /** The end of the feed, as it is now; begins to follow when nobody did. */
  position(now: number): number {
    this.#usedAt = now;
    this.#begin();
    return this.#end;
  }

  cursorAt(position: number): string {
    return `${this.#name}.${position}`;
  }

  /** Where to go on; undefined when something would be missing. */
  positionAfter(cursor: string): number | undefined {
    const [, name, digits] = /^([\w-]{1,40})\.(\d{1,15})$/.exec(cursor) ?? [];
    if (name === undefined || name !== this.#name) return undefined;
    const position = Number(digits);
    return this.has(position) ? position : undefined;
  }

  /** Whether nothing is missing from here on. */
  has(position: number): boolean {
    return position >= this.#first && position <= this.#end;
  }

  itemsFrom(position: number, most: number): FeedItem[] {
    const at = position - this.#first;
    return this.#items.slice(at, at + most);
  }

  /** Gives a function that ends it. */
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
    while (this.#items.length - gone > MOST_ITEMS || this.#bytes > MOST_BYTES) {
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
