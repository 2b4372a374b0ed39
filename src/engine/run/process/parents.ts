/** Who started this process, to notice when they are gone: a killed client leaves its server to somebody else. */

import { processFacts } from './proc.ts';

/** The client itself, and a shell or a package manager between it and the server. */
const GENERATIONS = 3;
const LOOK_EVERY_MS = 100;
const FIRST_PROCESS = 1;

/** The nearest ancestors, each by its pid and its start; empty where the system does not tell. */
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

/** Takes note of who is there now. `whenGone` then looks again and again, until somebody is gone or it is stopped. */
export function noteAncestors(): { whenGone(tell: () => void): { stop(): void } } {
  const atFirst = nearestAncestors();
  const parent = process.ppid;
  return {
    whenGone(tell) {
      let doubts = 0;
      const look = () => {
        if (process.ppid === parent && nearestAncestors() === atFirst) return;
        // When the system has run short of descriptors nothing can be told of anybody: one look is no proof.
        if (process.ppid === parent && (processFacts(process.pid) === undefined || ++doubts === 1)) return;
        clearInterval(timer);
        tell();
      };
      const timer = setInterval(look, LOOK_EVERY_MS);
      timer.unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}
