/** All events on the page, and those that pass the filters; fast enough for a hundred thousand events. */
import type { PageEvent } from '../wire.ts';
import { type OutcomeKind, outcomeKind } from './outcomes.ts';
import { separatorOf } from './paths.ts';
import { type Sort, sorted } from './row-order.ts';

export interface EventRow {
  readonly event: PageEvent;
  /** Increases with each event, in the order of arrival. */
  readonly number: number;
  /** The paths in lower case, each with a separator at the end, so that a search for `dir/` finds the directory too. */
  readonly haystack: string;
  readonly session: string;
  readonly kind: OutcomeKind;
}

export interface EventFilter {
  tool: string;
  /** A part of a path. */
  path: string;
  outcome: '' | OutcomeKind;
  session: string;
  dialect: string;
  /** The time range in milliseconds since 1970; `from` is included, `to` is not. */
  from: string;
  to: string;
  /** Not a filter, but also part of the link to a view. */
  sort: Sort;
}

export interface SessionInfo {
  key: string;
  label: string;
  lastAt: number;
}

export const noFilter: Readonly<EventFilter> = {
  tool: '',
  path: '',
  outcome: '',
  session: '',
  dialect: '',
  from: '',
  to: '',
  sort: '',
};

/** The store drops older rows, SPARE_ROWS at a time. */
const MAX_ROWS = 100_000;
const SPARE_ROWS = 10_000;

export interface Added {
  /** How many of the new events pass the filters. */
  shown: number;
  /** The store dropped old rows, so counts over all rows must start again. */
  trimmed: boolean;
}

export class EventStore {
  rows: EventRow[] = [];
  /** The rows that pass the filters, oldest first. */
  shown: EventRow[] = [];
  readonly tools = new Set<string>();
  readonly dialects = new Set<string>();
  readonly sessions = new Map<string, SessionInfo>();
  /** The entries of the journal that are undone now. */
  undone: ReadonlySet<string> = new Set();
  #filter: EventFilter = { ...noFilter };
  #needle = '';
  #from = 0;
  #to = Number.POSITIVE_INFINITY;
  /** The sorted rows from the top; undefined while the newest call is on top. */
  #sorted: EventRow[] | undefined;
  #ids = new Set<string>();
  #next = 0;

  get filter(): Readonly<EventFilter> {
    return this.#filter;
  }

  get isFiltered(): boolean {
    const { sort: _, ...filter } = this.#filter;
    return Object.values(filter).some((value) => value !== '');
  }

  /** Skips events that the store already has. */
  add(events: readonly PageEvent[]): Added {
    const before = this.shown.length;
    for (const event of events) {
      if (this.#ids.has(event.id)) continue;
      this.#ids.add(event.id);
      const row = this.#rowOf(event);
      this.rows.push(row);
      if (this.#passes(row)) this.shown.push(row);
    }
    const shown = this.shown.length - before;
    const trimmed = this.rows.length > MAX_ROWS + SPARE_ROWS;
    if (trimmed) this.#trim();
    return { shown, trimmed };
  }

  setFilter(filter: EventFilter): void {
    this.#filter = { ...filter };
    this.#needle = filter.path.trim().toLowerCase();
    this.#from = filter.from === '' ? 0 : Number(filter.from);
    this.#to = filter.to === '' ? Number.POSITIVE_INFINITY : Number(filter.to);
    this.shown = this.rows.filter((row) => this.#passes(row));
    this.sort();
  }

  /** Sorts the rows again, with those that have arrived since the last time. */
  sort(): void {
    const { sort } = this.#filter;
    this.#sorted = sort === '' ? undefined : sorted(this.shown, sort);
  }

  get isSorted(): boolean {
    return this.#sorted !== undefined;
  }

  /** How many rows the list has. */
  get listed(): number {
    return (this.#sorted ?? this.shown).length;
  }

  /** The row at this position of the list, from the top. */
  rowAt(place: number): EventRow | undefined {
    return this.#sorted ? this.#sorted[place] : this.shown[this.shown.length - 1 - place];
  }

  /** The position of a row in the list, from the top; -1 when it is not there. */
  placeOf(row: EventRow): number {
    if (this.#sorted) return this.#sorted.indexOf(row);
    const index = this.#indexOf(row);
    return index === -1 ? -1 : this.shown.length - 1 - index;
  }

  clear(): void {
    this.rows = [];
    this.shown = [];
    this.#ids.clear();
    this.tools.clear();
    this.dialects.clear();
    this.undone = new Set();
    this.sessions.clear();
    this.sort();
  }

  /** Whether all changes of a call are undone. */
  isUndone({ event: { entries } }: EventRow): boolean {
    return entries !== undefined && entries.length > 0 && entries.every((id) => this.undone.has(id));
  }

  #indexOf(row: EventRow): number {
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

  #passes(row: EventRow): boolean {
    return (this.#needle === '' || row.haystack.includes(this.#needle)) && this.passesBesidesPath(row);
  }

  /** Whether a row passes all filters except the path filter, which does not affect the tree. */
  passesBesidesPath({ event, session, kind }: EventRow): boolean {
    const { tool, outcome, dialect } = this.#filter;
    if (event.at < this.#from || event.at >= this.#to) return false;
    if (tool !== '' && event.tool !== tool) return false;
    if (outcome !== '' && kind !== outcome) return false;
    if (dialect !== '' && event.dialect !== dialect) return false;
    return this.#filter.session === '' || session === this.#filter.session;
  }

  #rowOf(event: PageEvent): EventRow {
    const key = event.session ?? event.server;
    this.tools.add(event.tool);
    this.dialects.add(event.dialect);
    const known = this.sessions.get(key);
    if (known) known.lastAt = Math.max(known.lastAt, event.at);
    else this.sessions.set(key, { key, label: sessionLabel(event), lastAt: event.at });
    let haystack = '';
    for (const { path } of event.paths) haystack += forSearch(path);
    return { event, number: this.#next++, haystack, session: key, kind: outcomeKind(event) };
  }

  #trim(): void {
    const gone = this.rows.splice(0, this.rows.length - MAX_ROWS);
    for (const { event } of gone) this.#ids.delete(event.id);
    const oldest = this.rows[0]!.number;
    const first = this.shown.findIndex(({ number }) => number >= oldest);
    this.shown.splice(0, first === -1 ? this.shown.length : first);
    this.sort();
  }
}

/** Adds a Windows path with both separators. */
function forSearch(path: string): string {
  const separator = separatorOf(path);
  const written = `${path.toLowerCase()}${separator}\n`;
  return separator === '/' ? written : `${written}${written.replaceAll('\\', '/')}`;
}

/** A short but distinct label for the session of an event. */
export function sessionLabel({ who, session, server, dialect }: PageEvent): string {
  const id = (session ?? server).replace(/-/g, '').slice(0, 6);
  return `${who ?? dialect} · ${id}`;
}
