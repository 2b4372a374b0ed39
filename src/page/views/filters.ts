/** The filter bar: tool, path, outcome, dialect, session and time, the number of calls that pass, and their order. */
import { plain } from '../../display/plain-text.ts';
import { type EventFilter, type EventStore, noFilter } from '../data/event-store.ts';
import { count, plural, timeRange } from '../data/format.ts';
import { belowPath } from '../data/paths.ts';
import { isSort, type Sort } from '../data/row-order.ts';
import { el, part, setText } from './elements/dom.ts';

/** The select offers only the latest sessions: a list of thousands would not help. */
const MOST_SESSIONS = 200;

export class Filters {
  readonly #store: EventStore;
  readonly #onChange: (filter: EventFilter) => void;
  readonly #tool = part<HTMLSelectElement>('filter-tool');
  readonly #path = part<HTMLInputElement>('filter-path');
  readonly #outcome = part<HTMLSelectElement>('filter-outcome');
  readonly #dialect = part<HTMLSelectElement>('filter-dialect');
  readonly #session = part<HTMLSelectElement>('filter-session');
  readonly #time = part<HTMLButtonElement>('filter-time');
  readonly #sort = part<HTMLSelectElement>('sort');
  readonly #clear = part<HTMLButtonElement>('filter-clear');
  readonly #count = part('shown-count');
  #range: Pick<EventFilter, 'from' | 'to'> = { from: '', to: '' };
  #knownTools = 0;
  #knownDialects = 0;
  #knownSessions = 0;
  /** The path that the user picked in the tree. The field shows it escaped, because it cannot show every character. */
  #picked: { written: string; path: string } | undefined;

  constructor(store: EventStore, onChange: (filter: EventFilter) => void) {
    this.#store = store;
    this.#onChange = onChange;
    for (const select of [this.#tool, this.#outcome, this.#dialect, this.#session, this.#sort])
      select.addEventListener('change', () => this.#changed());
    this.#path.addEventListener('input', () => this.#changed());
    this.#time.addEventListener('click', () => this.#setRange({ from: '', to: '' }));
    this.#clear.addEventListener('click', () => this.clear());
    part<HTMLFormElement>('filters').addEventListener('submit', (event) => event.preventDefault());
  }

  /** Filters for a path and everything below it, but not for siblings whose names begin the same. */
  pick(path: string): void {
    this.#picked = { written: plain(path), path: belowPath(path) };
    this.#path.value = this.#picked.written;
    this.#changed();
  }

  /** Filters for a time range in milliseconds since 1970; `from` is included, `to` is not. */
  pickTime(from: number, to: number): void {
    this.#setRange({ from: String(from), to: String(to) });
  }

  sortBy(sort: Sort): void {
    choose(this.#sort, sort);
    this.#changed();
  }

  /** Clears all filters but keeps the order. */
  clear(): void {
    const filter = { ...noFilter, sort: this.#store.filter.sort };
    this.set(filter);
    this.#onChange(filter);
  }

  /** Shows a filter that was set elsewhere, for example by the address. */
  set({ tool, path, outcome, dialect, session, from, to, sort }: Readonly<EventFilter>): void {
    this.#range = { from, to };
    choose(this.#sort, sort);
    this.#picked = { written: plain(path), path };
    this.#path.value = this.#picked.written;
    choose(this.#tool, tool);
    choose(this.#outcome, outcome);
    choose(this.#dialect, dialect);
    choose(this.#session, session);
  }

  focusPath(): void {
    this.#path.focus();
    this.#path.select();
  }

  draw(): void {
    const { tools, dialects, sessions, shown, rows, isFiltered } = this.#store;
    if (tools.size !== this.#knownTools && !isInUse(this.#tool)) {
      this.#knownTools = tools.size;
      fill(
        this.#tool,
        'All tools',
        [...tools].sort().map((tool) => [tool, tool]),
      );
    }
    if (dialects.size !== this.#knownDialects && !isInUse(this.#dialect)) {
      this.#knownDialects = dialects.size;
      fill(
        this.#dialect,
        'All dialects',
        [...dialects].sort().map((dialect) => [dialect, dialect]),
      );
    }
    // With only one dialect there is nothing to choose.
    this.#dialect.hidden = dialects.size <= 1 && this.#dialect.value === '';
    if (sessions.size !== this.#knownSessions && !isInUse(this.#session)) {
      this.#knownSessions = sessions.size;
      const latest = [...sessions.values()].sort((one, other) => other.lastAt - one.lastAt);
      const kept = latest.filter(({ key }, at) => at < MOST_SESSIONS || key === this.#session.value);
      fill(
        this.#session,
        'All sessions',
        kept.map(({ key, label }) => [key, label]),
      );
    }
    const { from, to } = this.#range;
    this.#time.hidden = from === '' && to === '';
    setText(this.#time, this.#time.hidden ? '' : `${timeRange(from, to)} ×`);
    this.#clear.disabled = !isFiltered;
    setText(
      this.#count,
      isFiltered ? `${count(shown.length)} of ${count(rows.length)}` : plural(rows.length, 'call'),
    );
  }

  #setRange(range: Pick<EventFilter, 'from' | 'to'>): void {
    this.#range = range;
    this.#changed();
  }

  #changed(): void {
    const { value } = this.#path;
    const { value: sort } = this.#sort;
    this.#onChange({
      tool: this.#tool.value,
      path: value === this.#picked?.written ? this.#picked.path : value,
      outcome: this.#outcome.value as EventFilter['outcome'],
      dialect: this.#dialect.value,
      session: this.#session.value,
      ...this.#range,
      sort: isSort(sort) ? sort : '',
    });
  }
}

/** An open list must not change while the user chooses from it. */
function isInUse(select: HTMLSelectElement): boolean {
  return document.activeElement === select && select.options.length > 1;
}

function fill(select: HTMLSelectElement, all: string, options: [value: string, label: string][]): void {
  const chosen = select.value;
  select.replaceChildren(
    el('option', { value: '' }, all),
    ...options.map(([value, label]) => el('option', { value }, plain(label))),
  );
  choose(select, chosen);
}

/** Adds the option if it is missing: a link may name a value that no call has had yet. */
function choose(select: HTMLSelectElement, value: string): void {
  select.value = value;
  if (select.value === value) return;
  select.append(el('option', { value }, plain(value)));
  select.value = value;
}
