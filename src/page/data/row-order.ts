/** The orders of the list of calls: newest first, or by a column. */
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

/** A column, with `-` in front for descending order; empty for newest first. */
export type Sort = '' | SortColumn | `-${SortColumn}`;

/** The first click sorts these in descending order, because users look for the slowest and the longest calls. */
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

/** The first click on a column sorts by it, the second reverses the order, and the third restores newest first. */
export function nextSort(sort: Sort, column: SortColumn): Sort {
  if (column === 'time') return sort === '' ? 'time' : '';
  const first: Sort = LARGEST_FIRST.includes(column) ? `-${column}` : column;
  if (columnOf(sort) !== column) return first;
  const second: Sort = first === column ? `-${column}` : column;
  return sort === first ? second : '';
}

/** Sorts rows that are given oldest first; among equals the newest comes first. */
export function sorted(rows: readonly EventRow[], sort: Sort): EventRow[] {
  const valueIn: (row: EventRow) => SortValue = VALUES[columnOf(sort)];
  const direction = isDescending(sort) ? -1 : 1;
  const keyed = rows.map((row) => ({ row, value: valueIn(row) }));
  keyed.sort((one, other) => {
    if (one.value === other.value) return other.row.number - one.row.number;
    return one.value < other.value ? -direction : direction;
  });
  return keyed.map(({ row }) => row);
}
