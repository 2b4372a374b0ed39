/** Notices when the client is gone: when a client is killed, its server gets another parent process. */

import { processFacts } from './proc.ts';

/** The client itself, and a shell or a package manager between it and the server. */
const GENERATIONS = 3;
const CHECK_EVERY_MS = 100;
const FIRST_PROCESS = 1;

/** The nearest ancestors, each by its pid and start time. Empty where the system does not list them. */
function nearestAncestors(): string {
  const names: string[] = [];
  let pid = process.ppid;
  while (names.length < GENERATIONS && pid > FIRST_PROCESS) {
    const facts = processFacts(pid);
    if (!facts) break;
    names.push(`${pid}:${facts.start}`);
    pid = facts.parent;
  }
  return names.join(' ');
}

/** Remembers the current ancestors. `whenGone` calls back once one of them is gone, unless it is stopped before. */
export function rememberAncestors(): { whenGone(call: () => void): { stop(): void } } {
  const atFirst = nearestAncestors();
  const parent = process.ppid;
  return {
    whenGone(call) {
      let failures = 0;
      const look = () => {
        if (process.ppid === parent && nearestAncestors() === atFirst) return;
        // When the system is out of descriptors, a read of /proc fails: a single failure proves nothing.
        if (process.ppid === parent && (processFacts(process.pid) === undefined || ++failures === 1)) return;
        clearInterval(timer);
        call();
      };
      const timer = setInterval(look, CHECK_EVERY_MS);
      timer.unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}
