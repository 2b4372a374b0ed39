/** The state of one machine: files in one directory of the user, shared by all servers there. */
import { join } from 'node:path';
import type { Contents } from '../contents.ts';
import { MemorySessions } from '../memory-sessions.ts';
import type { Sessions } from '../sessions.ts';
import type { Notes, State } from '../state.ts';
import { DirectoryContents } from './contents/directory-contents.ts';
import { machineLocks } from './locks.ts';
import { DirectoryLog } from './log/directory-log.ts';
import { DirectoryNotes } from './notes.ts';

/** Opens and creates nothing before something is written. */
export function openDirectoryState(directory: string): State {
  let contents: Contents | undefined;
  let notes: Notes | undefined;
  let sessions: Sessions | undefined;
  const logs = new Set<{ close(): void }>();
  return {
    name: directory,
    localDirectory: directory,
    get locks() {
      return machineLocks;
    },
    get notes() {
      notes ??= new DirectoryNotes(directory);
      return notes;
    },
    get sessions() {
      sessions ??= new MemorySessions();
      return sessions;
    },
    get contents() {
      contents ??= new DirectoryContents(directory);
      return contents;
    },
    log: (name, options) => {
      const log = new DirectoryLog(join(directory, name), options);
      logs.add(log);
      return log;
    },
    close: async () => {
      for (const log of logs) log.close();
      logs.clear();
      contents?.close();
    },
  };
}

/** A state directory, or a function that opens the state of a fleet. */
export type StateSource = string | (() => State);

export function openState(source: StateSource): State {
  return typeof source === 'string' ? openDirectoryState(source) : source();
}
