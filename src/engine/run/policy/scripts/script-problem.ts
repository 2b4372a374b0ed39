/** What can be wrong with a script that a command is given. */

export interface ScriptProblem {
  /** The part of the script that is the problem. */
  at: string;
  reason: string;
  instead?: string;
}

/** Longer scripts are not read, because a hostile one could make that take long. */
const MAX_LENGTH = 32 * 1024;

export function tooLong(script: string): ScriptProblem | undefined {
  if (script.length <= MAX_LENGTH) return undefined;
  return { at: excerptAt(script, 0), reason: `the script is longer than ${MAX_LENGTH} characters` };
}

/** The beginning of what stands at a position, to show. */
export function excerptAt(script: string, at: number): string {
  return script.slice(at, at + 60).split('\n')[0]!;
}
