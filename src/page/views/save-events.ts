/** Saves the shown calls as a file with one event on each line, in the format of `cofferdam trace --json`. */
import type { EventRow } from '../data/event-store.ts';
import { el } from './elements/dom.ts';

/** The browser may still read the data some time after the click. */
const REVOKE_AFTER_MS = 60_000;

export function saveEvents(rows: readonly EventRow[]): void {
  const lines = rows.map(({ event }) => `${JSON.stringify(event)}\n`);
  const href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  const name = new Date().toISOString().replace(/[-:]|\..*/g, '');
  el('a', { href, download: `cofferdam-trace-${name}.jsonl` }).click();
  setTimeout(() => URL.revokeObjectURL(href), REVOKE_AFTER_MS);
}
