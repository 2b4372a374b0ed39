/** Prints what a command says, and gives the exit code that goes with it. */

export interface Outcome {
  output: string;
  failed: boolean;
  /** Why the work stopped after everything in the output was done. */
  problem?: string;
}

export function print(output: string): number {
  process.stdout.write(output);
  return 0;
}

/** Prints a failure on stderr. If a problem stopped the work halfway, what was done goes to stdout. */
export async function printOutcome({ output, failed, problem }: Outcome): Promise<number> {
  const didSomething = !failed || problem !== undefined;
  await write(didSomething ? process.stdout : process.stderr, output);
  if (problem !== undefined) await write(process.stderr, problem);
  return failed ? 1 : 0;
}

function write(stream: NodeJS.WriteStream, output: string): Promise<void> {
  return new Promise((resolve) => stream.write(output, () => resolve()));
}
