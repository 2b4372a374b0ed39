/** What a session remembers between its calls: its id in the trace, and the workspace that its client chose. */
import { randomUUID } from 'node:crypto';
import type { Session } from '../../dialects/dialect.ts';

const ids = new WeakMap<Session, string>();

/** The session's random id in the trace, which stays the same as long as the state exists. No client knows it. */
export function sessionIdOf(state: Session): string {
  let id = ids.get(state);
  if (id === undefined) {
    id = randomUUID();
    ids.set(state, id);
  }
  return id;
}

/** Releases what the session holds open. */
export function endState(state: Session): void {
  const { workspace } = state;
  delete state.workspace;
  void workspace?.close();
}
