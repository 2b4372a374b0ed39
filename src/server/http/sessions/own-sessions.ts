/** A store for sessions that end with this server. */
import { MemorySessions } from '../../../state/memory-sessions.ts';
import type { SessionStore } from './sessions.ts';

export function ownSessions(): SessionStore {
  const sessions = new MemorySessions();
  return { sessions, readKeys: () => sessions.keys() };
}
