/** What a command knows about the process that runs it. Only main.ts reads the arguments and the environment. */

import type { Paint } from '../display/colour.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  version: string;
  home: string;
  environment: Environment;
  /** The token for clients over HTTP, if the environment has one. */
  token: string | undefined;
  /** The secret that servers of a fleet sign with, if COFFERDAM_SECRET is set. */
  secret?: string | undefined;
  /** The file that Node was started with. */
  program: string;
  /** Colours what goes to stdout, if it is a terminal that shows colours. */
  paint: Paint;
  /** Writes a line for the operator, which no client sees. */
  log(line: string): void;
}
