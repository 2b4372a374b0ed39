/** The headings of the list: each is a button that sorts by its column. */
import { columnOf, isDescending, nextSort, type Sort, type SortColumn } from '../../data/row-order.ts';
import { button, el } from '../elements/dom.ts';

const TITLES: Record<SortColumn, string> = {
  time: 'Time',
  who: 'Session',
  dialect: 'Dialect',
  tool: 'Tool',
  path: 'Path',
  outcome: 'Outcome',
  took: 'Duration',
  tokens: 'Tokens',
};

export class Heading {
  readonly element = el('div', { role: 'row', class: 'row head', 'aria-rowindex': 1 });
  readonly #cells = new Map<SortColumn, HTMLElement>();
  #sort: Sort = '';

  constructor(onSort: (sort: Sort) => void) {
    for (const [column, title] of Object.entries(TITLES) as [SortColumn, string][]) {
      const sort = button(title, () => onSort(nextSort(this.#sort, column)), { title: `Sort by ${title}` });
      const cell = el('div', { role: 'columnheader', class: `cell ${column}` }, sort);
      this.#cells.set(column, cell);
      this.element.append(cell);
    }
    this.show('');
  }

  show(sort: Sort): void {
    this.#sort = sort;
    for (const [column, cell] of this.#cells) {
      if (column !== columnOf(sort)) cell.removeAttribute('aria-sort');
      else cell.setAttribute('aria-sort', isDescending(sort) ? 'descending' : 'ascending');
    }
  }
}
