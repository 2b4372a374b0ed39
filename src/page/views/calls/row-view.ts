/** One row of the list of calls, which the list fills with another call when the user scrolls. */
import { plain } from '../../../display/plain-text.ts';
import { headline } from '../../data/brief.ts';
import { type EventRow, sessionLabel } from '../../data/event-store.ts';
import { clock, compact, duration, exactTime, otherDay } from '../../data/format.ts';
import { outcomeText } from '../../data/outcomes.ts';
import { leadingPath, shortPath } from '../../data/paths.ts';
import type { SortColumn } from '../../data/row-order.ts';
import { el, setText } from '../elements/dom.ts';
import { visiblePath } from '../elements/visible-text.ts';

function cell(name: SortColumn): HTMLElement {
  return el('div', { role: 'gridcell', class: `cell ${name}` });
}

interface RowPlacement {
  top: number;
  isActive: boolean;
  /** Stays the same when rows are added on top. */
  isOdd: boolean;
  isUndone: boolean;
  now: number;
}

let views = 0;

export class RowView {
  readonly element: HTMLElement;
  row: EventRow | undefined;
  readonly #cells: Record<SortColumn, HTMLElement>;
  readonly #day = el('span', { class: 'day' });
  readonly #clock = el('span');
  readonly #more = el('span', { class: 'more' });
  readonly #directory = el('span', { class: 'directory' });
  readonly #last = el('span', { class: 'last' });
  readonly #name = el('span', { class: 'name' }, this.#directory, this.#last);
  readonly #asked = el('span', { class: 'asked' });
  #at = -1;
  #isActive = false;
  #isUndone = false;

  constructor() {
    this.#cells = {
      time: cell('time'),
      who: cell('who'),
      dialect: cell('dialect'),
      tool: cell('tool'),
      path: cell('path'),
      outcome: cell('outcome'),
      took: cell('took'),
      tokens: cell('tokens'),
    };
    this.#cells.time.append(this.#day, this.#clock);
    this.#cells.path.append(this.#name, this.#more, this.#asked);
    this.element = el('div', { role: 'row', class: 'row', id: `row-${views++}`, hidden: true });
    this.element.append(...Object.values(this.#cells));
  }

  forget(): void {
    this.row = undefined;
    this.#at = -1;
  }

  show(row: EventRow | undefined, at: number, { top, isActive, isOdd, isUndone, now }: RowPlacement): void {
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
    if (row === this.row && isUndone === this.#isUndone) return;
    this.row = row;
    this.#isUndone = isUndone;
    this.#fill(row, now);
  }

  #fill({ event, kind }: EventRow, now: number): void {
    const { at, tool, dialect, reason, ms, tokensOut } = event;
    const cells = this.#cells;
    const day = otherDay(at, now);
    setText(this.#day, day === '' ? '' : `${day} `);
    setText(this.#clock, clock(at));
    cells.time.title = exactTime(at);
    setText(cells.who, sessionLabel(event));
    setText(cells.dialect, dialect);
    setText(cells.tool, tool);
    this.#fillPath(event);
    setText(cells.outcome, this.#isUndone ? '↶ undone' : outcomeText(event));
    this.element.classList.toggle('undone', this.#isUndone);
    setText(cells.took, duration(ms));
    setText(cells.tokens, compact(tokensOut));
    cells.outcome.title = plain(reason ?? '');
    this.element.dataset.outcome = kind;
  }

  /** Shows the most informative path, or the command line; and what was searched for. */
  #fillPath({ paths, morePaths = 0, roots, brief }: EventRow['event']): void {
    const lead = leadingPath(paths);
    const asked = headline(brief);
    const isCommand = asked?.kind === 'command';
    const shown = lead === undefined || isCommand ? '' : shortPath(roots, lead);
    const cut = shown.lastIndexOf('/') + 1;
    this.#directory.replaceChildren(...visiblePath(shown.slice(0, cut)));
    this.#last.replaceChildren(...visiblePath(shown.slice(cut)));
    this.#name.hidden = shown === '';
    setText(this.#asked, asked?.text ?? '');
    this.#cells.path.title = plain(isCommand ? asked.text : (lead ?? ''));
    const rest = paths.length - 1 + morePaths;
    setText(this.#more, rest > 0 && !isCommand ? `+${rest}` : '');
    this.#more.hidden = this.#more.textContent === '';
  }
}
