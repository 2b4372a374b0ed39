/** Saves the calls that are shown as a file with one event a line, as `cofferdam trace --json` has them. */
import type { EventRow } from '../data/event-store.ts';
import { el } from './elements/dom.ts';

/** A browser may still read the data after the click. */
const KEPT_MS = 60_000;

export function saveEvents(rows: readonly EventRow[]): void {
  const lines = rows.map(({ event }) => `${JSON.stringify(event)}\n`);
  const href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  const name = new Date().toISOString().replace(/[-:]|\..*/g, '');
  el('a', { href, download: `cofferdam-trace-${name}.jsonl` }).click();
  setTimeout(() => URL.revokeObjectURL(href), KEPT_MS);
}
