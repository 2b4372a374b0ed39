/** What the library takes from the process that uses it, where that does not say otherwise. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  environment: Environment;
  home: string;
  /** Takes what is for the owner of the program and never for a model. */
  log(line: string): void;
}

export function surroundingsFrom(given: Partial<Surroundings>): Surroundings {
  const { environment = process.env, home = environment.HOME || homedir(), log = warn } = given;
  return { environment, home, log };
}

/** Node prints it, unless the program listens to warnings. */
function warn(line: string): void {
  process.emitWarning(line, 'CofferdamWarning');
}

/** `~` and `~/code`, as a shell reads them. */
export function fromHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
