/** What is wrong with a script among the arguments. */

export interface ScriptProblem {
  /** The part of the script that is the problem. */
  at: string;
  reason: string;
  instead?: string;
}

/** The check refuses longer scripts, since a hostile one could take long to check. */
const MAX_LENGTH = 32 * 1024;

export function tooLong(script: string): ScriptProblem | undefined {
  if (script.length <= MAX_LENGTH) return undefined;
  return { at: excerptAt(script, 0), reason: `the script is longer than ${MAX_LENGTH} characters` };
}

/** The first characters at a position, for messages. */
export function excerptAt(script: string, at: number): string {
  return script.slice(at, at + 60).split('\n')[0]!;
}
