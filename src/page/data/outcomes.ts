/** How a call ended, in the four kinds that the page tells apart, and in words. */
import type { PageEvent } from '../wire.ts';

export type OutcomeKind = 'ok' | 'refused' | 'failed' | 'cancelled';

/** Failures that are a rule of the server, or of its owner, and no mistake of the call's. */
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
