/** Runs scripts to see what they do. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const runner = fileURLToPath(new URL('run-scripts.mjs', import.meta.url));
/** Some scripts loop forever. What they do, they have done by then. */
const CUT_OFF_MS = 500;

export interface Ran {
  printed: string;
  /** The names in the directory afterwards. */
  files: string[];
}

/** Runs the commands one after the other in a directory, each with the same standard input. */
export function runScripts(commands: readonly (readonly string[])[], cwd: string, input: string): Ran[] {
  const told = execFileSync(process.execPath, [runner], {
    cwd,
    input: JSON.stringify({ commands, input, timeout: CUT_OFF_MS }),
    maxBuffer: 2 ** 30,
  });
  return JSON.parse(told.toString()) as Ran[];
}
