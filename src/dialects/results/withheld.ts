/** Why something inside a given directory is not served, in words that all dialects share. */
import type { Failure } from '../../engine/index.ts';
import { onOneLine } from './one-line.ts';

type WithheldFailure = Extract<Failure, { kind: 'denied' | 'withheld' }>;

const DONE = { create: 'created', move: 'moved', delete: 'deleted' } as const;

/** A sentence without its full stop. For a hidden name it must not reveal that there is a reason. */
export function withheldBecause(facts: WithheldFailure): string {
  const path = onOneLine(facts.path);
  if (facts.kind === 'denied') {
    return facts.holds === undefined
      ? `${path}: the owner of this server denied it (--deny)`
      : `${path} holds ${onOneLine(facts.holds)}, which the owner of this server denied (--deny)`;
  }
  const refused = `${path} cannot be ${DONE[facts.action]}`;
  return facts.action === 'create' ? refused : `${refused}: it holds entries that this server does not serve`;
}
