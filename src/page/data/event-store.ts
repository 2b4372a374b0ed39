/** All events on the page, and those that pass the filters; fast enough for a hundred thousand of them. */

import type { PageEvent } from '../wire.ts';
import { type OutcomeKind, outcomeKind } from './outcomes.ts';
import { separatorOf } from './paths.ts';

export interface Row {
  readonly event: PageEvent;
  /** Grows with each event, in the order of arrival. */
  readonly number: number;
  /** Its paths in lower case, each with a separator at the end, so that a search for `dir/` finds the directory too. */
  readonly haystack: string;
  readonly session: string;
  readonly kind: OutcomeKind;
}

export interface Filter {
  tool: string;
  /** A part of a path. */
  path: string;
  outcome: '' | OutcomeKind;
  session: string;
  dialect: string;
}

export interface SessionInfo {
  key: string;
  label: string;
  lastAt: number;
}

export const noFilter: Readonly<Filter> = {
  tool: '',
  path: '',
  outcome: '',
  session: '',
  dialect: '',
};

/** The store drops older rows, SPARE_ROWS at a time. */
const MAX_ROWS = 100_000;
const SPARE_ROWS = 10_000;

export interface Added {
  /** How many of them pass the filters. */
  shown: number;
  /** The store dropped old rows: counts over all rows must start again. */
  trimmed: boolean;
}

export class EventStore {
  rows: Row[] = [];
  /** Oldest first. */
  shown: Row[] = [];
  readonly tools = new Set<string>();
  readonly dialects = new Set<string>();
  readonly sessions = new Map<string, SessionInfo>();
  /** The entries of the journal that are undone now. */
  undone: ReadonlySet<string> = new Set();
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

  /** Skips events that the store has already. */
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

  setFilter(filter: Filter): void {
    this.#filter = { ...filter };
    this.#needle = filter.path.trim().toLowerCase();
    this.shown = this.rows.filter((row) => this.#passes(row));
  }

  clear(): void {
    this.rows = [];
    this.shown = [];
    this.#ids.clear();
    this.tools.clear();
    this.dialects.clear();
    this.undone = new Set();
    this.sessions.clear();
  }

  /** Whether nothing is left of what a call changed. */
  isUndone({ event: { entries } }: Row): boolean {
    return entries !== undefined && entries.length > 0 && entries.every((id) => this.undone.has(id));
  }

  /** The index of a row among those that are shown; -1 when it is not. */
  indexOf(row: Row): number {
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

  #passes(row: Row): boolean {
    return (this.#needle === '' || row.haystack.includes(this.#needle)) && this.passesBesidesPath(row);
  }

  /** Whether a row passes the filters other than that of the path, by which the tree is left whole. */
  passesBesidesPath({ event, session, kind }: Row): boolean {
    const { tool, outcome, dialect } = this.#filter;
    if (tool !== '' && event.tool !== tool) return false;
    if (outcome !== '' && kind !== outcome) return false;
    if (dialect !== '' && event.dialect !== dialect) return false;
    return this.#filter.session === '' || session === this.#filter.session;
  }

  #rowOf(event: PageEvent): Row {
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
  }
}

/** A Windows path appears with both separators. */
function forSearch(path: string): string {
  const separator = separatorOf(path);
  const written = `${path.toLowerCase()}${separator}\n`;
  return separator === '/' ? written : `${written}${written.replaceAll('\\', '/')}`;
}

/** Whose calls they are, short but distinct. */
export function sessionLabel({ who, session, server, dialect }: PageEvent): string {
  const id = (session ?? server).replace(/-/g, '').slice(0, 6);
  return `${who ?? dialect} · ${id}`;
}
