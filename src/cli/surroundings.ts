/** What a command gets to know of the process that runs it: main.ts alone reads the arguments and the environment. */

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  version: string;
  home: string;
  environment: Environment;
  /** The token for clients over HTTP, if the environment has one. */
  token: string | undefined;
  /** The file that Node was started with. */
  program: string;
  /** Tells the operator, never a client. */
  log(line: string): void;
}
