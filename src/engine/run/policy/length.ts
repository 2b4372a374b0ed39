/** How long a command line may be: the system and the sandbox pass no more, and to check more would take long. */

import { fail } from '../../failures.ts';

/** What bubblewrap takes in all, its own arguments among them. */
export const MOST_ARGUMENTS = 9000;
/** No Linux passes more bytes to a program, whatever its limits; a character has at least one. */
const MOST_CHARACTERS = 6 * 1024 * 1024;

/** The same for one argument. */
const LONGEST_ARGUMENT = 128 * 1024;

/** Comes before any look at the arguments themselves. */
export function requireShortLine(command: string, args: readonly string[]): void {
  if (args.length > MOST_ARGUMENTS) failTooLong(command);
  let characters = 0;
  for (const argument of args) {
    if (argument.length >= LONGEST_ARGUMENT) failTooLong(command);
    characters += argument.length;
  }
  if (characters > MOST_CHARACTERS) failTooLong(command);
}

/** The failure of a start with arguments that the system does not pass. */
export function failTooLong(command: string): never {
  fail({ kind: 'io', path: command, action: 'run', code: 'E2BIG' });
}
