/** All events that the page knows, and those that the filters let through; made for a hundred thousand of them. */

import { separatorOf } from './paths.ts';
import type { PageEvent } from './wire.ts';

export interface Row {
  readonly event: PageEvent;
  /** Grows with each event; tells the order in which they came. */
  readonly number: number;
  /** Its paths in lower case, each closed as a directory: its own path ends as those below it go on. */
  readonly haystack: string;
  readonly session: string;
}

export interface Filter {
  tool: string;
  /** A part of a path. */
  path: string;
  outcome: '' | 'ok' | 'failed';
  session: string;
}

export interface SessionInfo {
  key: string;
  label: string;
  lastAt: number;
}

export const noFilter: Readonly<Filter> = { tool: '', path: '', outcome: '', session: '' };

/** What is older is forgotten, a good piece at a time. */
const MOST_ROWS = 100_000;
const SPARE_ROWS = 10_000;

export interface Added {
  /** How many of them the filters let through. */
  shown: number;
  /** Old ones were forgotten: what was counted over all rows must be counted anew. */
  trimmed: boolean;
}

export class EventStore {
  rows: Row[] = [];
  /** Oldest first. */
  shown: Row[] = [];
  readonly tools = new Set<string>();
  readonly sessions = new Map<string, SessionInfo>();
  #filter: Filter = { ...noFilter };
  #needle = '';
  #ids = new Set<string>();
  #next = 0;

  get filter(): Readonly<Filter> {
    return this.#filter;
  }

  get isFiltered(): boolean {
    return Object.values(this.#filter).some((value) => value !== '');
  }

  /** An event that is known already is not taken twice. */
  add(events: readonly PageEvent[]): Added {
    const before = this.shown.length;
    for (const event of events) {
      if (this.#ids.has(event.id)) continue;
      this.#ids.add(event.id);
      const row = this.#rowOf(event);
      this.rows.push(row);
      if (this.#lets(row)) this.shown.push(row);
    }
    const shown = this.shown.length - before;
    const trimmed = this.rows.length > MOST_ROWS + SPARE_ROWS;
    if (trimmed) this.#trim();
    return { shown, trimmed };
  }

  setFilter(filter: Filter): void {
    this.#filter = { ...filter };
    this.#needle = filter.path.trim().toLowerCase();
    this.shown = this.rows.filter((row) => this.#lets(row));
  }

  clear(): void {
    this.rows = [];
    this.shown = [];
    this.#ids.clear();
    this.tools.clear();
    this.sessions.clear();
  }

  /** Where a row stands among those that are shown; -1 when it does not. */
  placeOf(row: Row): number {
    let low = 0;
    let high = this.shown.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const number = this.shown[middle]!.number;
      if (number === row.number) return middle;
      if (number < row.number) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #lets({ event, haystack, session }: Row): boolean {
    const { tool, outcome } = this.#filter;
    if (tool !== '' && event.tool !== tool) return false;
    if (outcome !== '' && event.outcome !== outcome) return false;
    if (this.#filter.session !== '' && session !== this.#filter.session) return false;
    return this.#needle === '' || haystack.includes(this.#needle);
  }

  #rowOf(event: PageEvent): Row {
    const key = event.session ?? event.server;
    this.tools.add(event.tool);
    const known = this.sessions.get(key);
    if (known) known.lastAt = Math.max(known.lastAt, event.at);
    else this.sessions.set(key, { key, label: sessionLabel(event), lastAt: event.at });
    let haystack = '';
    for (const { path } of event.paths) haystack += forSearch(path);
    return { event, number: this.#next++, haystack, session: key };
  }

  #trim(): void {
    const gone = this.rows.splice(0, this.rows.length - MOST_ROWS);
    for (const { event } of gone) this.#ids.delete(event.id);
    const oldest = this.rows[0]!.number;
    const first = this.shown.findIndex(({ number }) => number >= oldest);
    this.shown.splice(0, first === -1 ? this.shown.length : first);
  }
}

/** On Windows in both ways to write it. */
function forSearch(path: string): string {
  const separator = separatorOf(path);
  const written = `${path.toLowerCase()}${separator}\n`;
  return separator === '/' ? written : `${written}${written.replaceAll('\\', '/')}`;
}

/** Whose calls they are, as short as it can be told apart. */
export function sessionLabel({ who, session, server, dialect }: PageEvent): string {
  const id = (session ?? server).replace(/-/g, '').slice(0, 6);
  return `${who ?? dialect} · ${id}`;
}
