/** How a call ended: one of the four kinds that the page distinguishes, and a text. */
import type { PageEvent } from '../wire.ts';

export type OutcomeKind = 'ok' | 'refused' | 'failed' | 'cancelled';

/** Failures because of a rule of the server or its owner, not because of a mistake in the call. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['outside', 'denied', 'withheld', 'read-only', 'permission', 'is-root'],
  ...['command-not-allowed', 'argument-not-allowed', 'no-sandbox', 'no-roots'],
]);

const MARKS = { ok: '✓', refused: '⊘', failed: '✗', cancelled: '–' } as const;

export function outcomeKind({ outcome, error = '' }: PageEvent): OutcomeKind {
  if (outcome === 'ok') return 'ok';
  if (error === 'cancelled') return 'cancelled';
  return REFUSALS.has(error) ? 'refused' : 'failed';
}

export function outcomeText(event: PageEvent): string {
  const kind = outcomeKind(event);
  const word = kind === 'ok' ? (event.entries ? 'changed' : 'ok') : (event.error ?? 'failed');
  return `${MARKS[kind]} ${word}`;
}
