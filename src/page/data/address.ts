/** The filters in the address of the page, after the `#`, which browsers send to no server. */
import { type EventFilter, noFilter } from './event-store.ts';
import { isSort } from './row-order.ts';

const NAMES = Object.keys(noFilter) as (keyof EventFilter)[];

/** Empty when nothing is filtered. */
export function toAddress(filter: Readonly<EventFilter>): string {
  const set = NAMES.filter((name) => filter[name] !== '');
  return set.length === 0 ? '' : `#${new URLSearchParams(set.map((name) => [name, filter[name]]))}`;
}

/** Undefined when the hash is not a filter. */
export function filterInAddress(hash: string): EventFilter | undefined {
  if (hash.length > 1 && !hash.includes('=')) return undefined;
  const said = new URLSearchParams(hash.replace(/^#/, ''));
  const filter = Object.fromEntries(
    NAMES.map((name) => [name, said.get(name) ?? '']),
  ) as unknown as EventFilter;
  return {
    ...filter,
    ...{ from: timeIn(filter.from), to: timeIn(filter.to) },
    sort: isSort(filter.sort) ? filter.sort : '',
  };
}

function timeIn(text: string): string {
  return /^\d{1,15}$/.test(text) ? text : '';
}
