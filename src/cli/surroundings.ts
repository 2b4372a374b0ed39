/** What a command gets to know of the process that runs it: main.ts alone reads the arguments and the environment. */

import type { Paint } from '../display/colour.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  version: string;
  home: string;
  environment: Environment;
  /** The token for clients over HTTP, if the environment has one. */
  token: string | undefined;
  /** What servers of a fleet sign with, if the environment says so: COFFERDAM_SECRET. */
  secret?: string | undefined;
  /** The file that Node was started with. */
  program: string;
  /** How to paint what goes to stdout. */
  paint: Paint;
  /** Tells the operator, never a client. */
  log(line: string): void;
}
