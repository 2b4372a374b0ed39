/** What the library takes from its process unless the program passes something else: variables, home, warnings. */
import { homedir } from 'node:os';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  environment: Environment;
  home: string;
  /** Called with messages for the owner of the program, which a model never sees. */
  log(line: string): void;
}

export function surroundingsFrom(given: Partial<Surroundings>): Surroundings {
  const { environment = process.env, home = environment.HOME || homedir(), log = warn } = given;
  return { environment, home, log };
}

/** Node prints the warning, unless the program listens to warnings. */
function warn(line: string): void {
  process.emitWarning(line, 'CofferdamWarning');
}
