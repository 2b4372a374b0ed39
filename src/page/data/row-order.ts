/** The orders in which the list shows calls: as they came, newest first, or by a column. */
import type { EventRow } from './event-store.ts';

type SortValue = string | number;

/** What a column sorts by. */
const VALUES = {
  time: ({ event }) => event.at,
  who: ({ session, event }) => `${event.who ?? event.dialect} ${session}`,
  dialect: ({ event }) => event.dialect,
  tool: ({ event }) => event.tool,
  path: ({ haystack }) => haystack,
  outcome: ({ kind, event }) => `${kind} ${event.error ?? ''}`,
  took: ({ event }) => event.ms,
  tokens: ({ event }) => event.tokensOut,
} satisfies Record<string, (row: EventRow) => SortValue>;

export type SortColumn = keyof typeof VALUES;

/** A column, with a `-` before it for the largest first; empty for the newest first. */
export type Sort = '' | SortColumn | `-${SortColumn}`;

/** These begin with the largest: who sorts by them looks for the slowest and the longest. */
const LARGEST_FIRST: readonly SortColumn[] = ['took', 'tokens'];

export function isSort(text: string): text is Sort {
  return text === '' || Object.hasOwn(VALUES, text.replace(/^-/, ''));
}

export function columnOf(sort: Sort): SortColumn {
  return sort === '' ? 'time' : (sort.replace(/^-/, '') as SortColumn);
}

export function isDescending(sort: Sort): boolean {
  return sort === '' || sort.startsWith('-');
}

/** A click on a column sorts by it, another turns it round, and a third goes back to the newest first. */
export function nextSort(sort: Sort, column: SortColumn): Sort {
  if (column === 'time') return sort === '' ? 'time' : '';
  const first: Sort = LARGEST_FIRST.includes(column) ? `-${column}` : column;
  if (columnOf(sort) !== column) return first;
  const second: Sort = first === column ? `-${column}` : column;
  return sort === first ? second : '';
}

/** Among equals the newest comes first. Expects the oldest first. */
export function sorted(rows: readonly EventRow[], sort: Sort): EventRow[] {
  const valueIn: (row: EventRow) => SortValue = VALUES[columnOf(sort)];
  const way = isDescending(sort) ? -1 : 1;
  const keyed = rows.map((row) => ({ row, value: valueIn(row) }));
  keyed.sort((one, other) => {
    if (one.value === other.value) return other.row.number - one.row.number;
    return one.value < other.value ? -way : way;
  });
  return keyed.map(({ row }) => row);
}
