/** The list of calls, newest on top or sorted by a column. Only the visible rows exist as elements. */
import type { EventRow, EventStore } from '../../data/event-store.ts';
import type { Sort } from '../../data/row-order.ts';
import { el } from '../elements/dom.ts';
import { Heading } from './heading.ts';
import { RowView } from './row-view.ts';

const OVERSCAN = 8;

export interface ListEvents {
  /** `focus` is true when the user opened the call with the keyboard, so the details get the focus. */
  onOpen(row: EventRow, focus: boolean): void;
  /** The active row has moved. */
  onMove(row: EventRow): void;
  onFollow(following: boolean): void;
  onSort(sort: Sort): void;
}

export class CallList {
  readonly #grid: HTMLElement;
  readonly #head: Heading;
  readonly #body = el('div', { class: 'rows', role: 'rowgroup' });
  readonly #store: EventStore;
  readonly #events: ListEvents;
  #views: RowView[] = [];
  #rowHeight = 30;
  #active: EventRow | undefined;
  #following = true;
  #isQueued = false;

  constructor(grid: HTMLElement, store: EventStore, events: ListEvents) {
    this.#grid = grid;
    this.#store = store;
    this.#events = events;
    grid.setAttribute('role', 'grid');
    grid.setAttribute('aria-label', 'Calls');
    grid.tabIndex = 0;
    this.#head = new Heading((sort) => events.onSort(sort));
    grid.append(this.#head.element, this.#body);
    grid.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    grid.addEventListener('keydown', (event) => this.#onKey(event));
    this.#body.addEventListener('click', (event) => this.#onClick(event));
    new ResizeObserver(() => this.#measure()).observe(grid);
    this.#measure();
  }

  get following(): boolean {
    return this.#following && !this.#store.isSorted;
  }

  set following(following: boolean) {
    this.#following = following;
    if (following) this.#grid.scrollTop = 0;
    this.refresh();
  }

  /** This many rows were added on top. The visible rows stay in place, unless the list follows the newest call. */
  grew(by: number): void {
    if (this.following) this.#grid.scrollTop = 0;
    else if (by > 0 && !this.#store.isSorted) {
      this.#setHeight();
      this.#grid.scrollTop += by * this.#rowHeight;
    }
    this.refresh();
  }

  /** The list shows other rows than before. */
  replaced(): void {
    this.#head.show(this.#store.filter.sort);
    this.#grid.scrollTop = 0;
    this.refresh();
  }

  focus(): void {
    this.#grid.focus();
  }

  /** Draws once, before the next frame. */
  refresh(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    requestAnimationFrame(() => {
      this.#isQueued = false;
      this.#draw();
    });
  }

  #measure(): void {
    const height = Number.parseFloat(getComputedStyle(this.#grid).getPropertyValue('--row'));
    if (height > 0 && height !== this.#rowHeight) this.#setRowHeight(height);
    const rows = Math.ceil(this.#grid.clientHeight / this.#rowHeight) + 2 * OVERSCAN;
    if (rows !== this.#views.length) {
      this.#views = Array.from({ length: rows }, () => new RowView());
      this.#body.replaceChildren(...this.#views.map(({ element }) => element));
    }
    for (const view of this.#views) view.forget();
    this.refresh();
  }

  /** Keeps the rows that the user is reading visible. */
  #setRowHeight(height: number): void {
    const { scrollTop, clientHeight } = this.#grid;
    const first = scrollTop / this.#rowHeight;
    const at = this.#active ? this.#store.placeOf(this.#active) : -1;
    const wasSeen = at !== -1 && at >= Math.floor(first) && at <= first + clientHeight / this.#rowHeight;
    this.#rowHeight = height;
    this.#setHeight();
    this.#grid.scrollTop = first * height;
    if (wasSeen) this.#scrollTo(at);
  }

  #setHeight(): void {
    this.#body.style.height = `${this.#store.listed * this.#rowHeight}px`;
  }

  #draw(): void {
    const { listed } = this.#store;
    this.#setHeight();
    this.#grid.setAttribute('aria-rowcount', String(listed + 1));
    const first = Math.max(0, Math.floor(this.#grid.scrollTop / this.#rowHeight) - OVERSCAN);
    const now = Date.now();
    let activeId = '';
    for (let at = first; at < first + this.#views.length; at++) {
      const view = this.#views[at % this.#views.length]!;
      const row = this.#store.rowAt(at);
      const isActive = row !== undefined && row === this.#active;
      const isOdd = (listed - at) % 2 === 1;
      const isUndone = row !== undefined && this.#store.isUndone(row);
      view.show(row, at, { top: at * this.#rowHeight, isActive, isOdd, isUndone, now });
      if (isActive) activeId = view.element.id;
    }
    if (activeId === '') this.#grid.removeAttribute('aria-activedescendant');
    else this.#grid.setAttribute('aria-activedescendant', activeId);
  }

  #onScroll(): void {
    const atTop = this.#grid.scrollTop < this.#rowHeight / 2;
    if (!this.#store.isSorted && atTop !== this.#following && (this.#following || atTop)) {
      this.#following = atTop;
      this.#events.onFollow(atTop);
    }
    this.refresh();
  }

  #onClick(event: MouseEvent): void {
    const element = (event.target as Element).closest('[role=row]');
    const row = this.#views.find((view) => view.element === element)?.row;
    if (!row) return;
    this.#active = row;
    this.refresh();
    this.#events.onOpen(row, false);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.#grid || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      if (this.#active) this.#events.onOpen(this.#active, true);
    } else if (!this.#move(event.key)) return;
    event.preventDefault();
  }

  #move(key: string): boolean {
    const last = this.#store.listed - 1;
    const at = this.#active ? this.#store.placeOf(this.#active) : -1;
    const page = Math.max(1, Math.floor(this.#grid.clientHeight / this.#rowHeight) - 2);
    const goal = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: last,
    }[key];
    if (goal === undefined) return false;
    const row = this.#store.rowAt(Math.min(Math.max(goal, 0), last));
    if (!row) return true;
    this.#active = row;
    this.#scrollTo(Math.min(Math.max(goal, 0), last));
    this.refresh();
    this.#events.onMove(row);
    return true;
  }

  /** The header of the list is sticky and covers the row below it. */
  #scrollTo(at: number): void {
    const top = at * this.#rowHeight;
    const visible = this.#grid.clientHeight - this.#head.element.offsetHeight;
    const { scrollTop } = this.#grid;
    if (top < scrollTop) this.#grid.scrollTop = top;
    else if (top + this.#rowHeight > scrollTop + visible)
      this.#grid.scrollTop = top + this.#rowHeight - visible;
  }
}
