/** One row of the list of calls. The list fills it with another call when the user scrolls. */
import { plain } from '../../display/plain-text.ts';
import { type Row, sessionLabel } from '../data/event-store.ts';
import { clock, compact, duration, exactTime, otherDay } from '../data/format.ts';
import { leadingPath, shortPath } from '../data/paths.ts';
import { el, setText } from './dom.ts';
import { visiblePath } from './visible-text.ts';

const COLUMNS = {
  time: 'Time',
  who: 'Session',
  tool: 'Tool',
  path: 'Path',
  outcome: 'Outcome',
  took: 'Duration',
  tokens: 'Tokens',
} as const;

type Column = keyof typeof COLUMNS;

export function headRow(): HTMLElement {
  const cells = Object.entries(COLUMNS).map(([name, title]) =>
    el('div', { role: 'columnheader', class: `cell ${name}` }, title),
  );
  return el('div', { role: 'row', class: 'row head', 'aria-rowindex': 1 }, ...cells);
}

function cell(name: Column): HTMLElement {
  return el('div', { role: 'gridcell', class: `cell ${name}` });
}

interface Place {
  top: number;
  isActive: boolean;
  /** The row keeps it when others come on top. */
  isOdd: boolean;
  now: number;
}

let views = 0;

export class RowView {
  readonly element: HTMLElement;
  row: Row | undefined;
  readonly #cells: Record<Column, HTMLElement>;
  readonly #day = el('span', { class: 'day' });
  readonly #clock = el('span');
  readonly #more = el('span', { class: 'more' });
  readonly #way = el('span', { class: 'way' });
  readonly #last = el('span', { class: 'last' });
  #at = -1;
  #isActive = false;

  constructor() {
    this.#cells = {
      time: cell('time'),
      who: cell('who'),
      tool: cell('tool'),
      path: cell('path'),
      outcome: cell('outcome'),
      took: cell('took'),
      tokens: cell('tokens'),
    };
    this.#cells.time.append(this.#day, this.#clock);
    this.#cells.path.append(el('span', { class: 'name' }, this.#way, this.#last), this.#more);
    this.element = el('div', { role: 'row', class: 'row', id: `row-${views++}`, hidden: true });
    this.element.append(...Object.values(this.#cells));
  }

  forget(): void {
    this.row = undefined;
    this.#at = -1;
  }

  show(row: Row | undefined, at: number, { top, isActive, isOdd, now }: Place): void {
    this.element.hidden = row === undefined;
    if (row === undefined) {
      this.forget();
      return;
    }
    if (at !== this.#at) {
      this.#at = at;
      this.element.style.transform = `translateY(${top}px)`;
      this.element.setAttribute('aria-rowindex', String(at + 2));
    }
    if (isActive !== this.#isActive) {
      this.#isActive = isActive;
      this.element.setAttribute('aria-selected', String(isActive));
    }
    this.element.classList.toggle('odd', isOdd);
    if (row === this.row) return;
    this.row = row;
    this.#fill(row, now);
  }

  #fill({ event }: Row, now: number): void {
    const { at, tool, paths, morePaths = 0, outcome, error, ms, tokensOut, roots, entries } = event;
    const cells = this.#cells;
    const day = otherDay(at, now);
    setText(this.#day, day === '' ? '' : `${day} `);
    setText(this.#clock, clock(at));
    cells.time.title = exactTime(at);
    setText(cells.who, sessionLabel(event));
    setText(cells.tool, tool);
    const lead = leadingPath(paths);
    const shown = lead === undefined ? '' : shortPath(roots, lead);
    const cut = shown.lastIndexOf('/') + 1;
    this.#way.replaceChildren(...visiblePath(shown.slice(0, cut)));
    this.#last.replaceChildren(...visiblePath(shown.slice(cut)));
    cells.path.title = plain(lead ?? '');
    const rest = paths.length - 1 + morePaths;
    setText(this.#more, rest > 0 ? `+${rest}` : '');
    setText(cells.outcome, outcome === 'ok' ? (entries ? '✓ changed' : '✓ ok') : `✗ ${error ?? 'failed'}`);
    setText(cells.took, duration(ms));
    setText(cells.tokens, compact(tokensOut));
    this.element.dataset.outcome = outcome;
  }
}
