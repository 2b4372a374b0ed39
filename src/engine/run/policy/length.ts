/** How long a command line may be. The system and the sandbox pass no more, and checking more would take long. */

import { fail } from '../../failures.ts';

/** How many arguments bubblewrap takes in all, including its own. */
export const MOST_ARGUMENTS = 9000;
/** Linux never passes more bytes than this to a program, and a character has at least one byte. */
const MOST_CHARACTERS = 6 * 1024 * 1024;
/** Linux passes no longer argument than this. */
const LONGEST_ARGUMENT = 128 * 1024;

/** Fails for a line that is too long. Call this before anything reads the arguments themselves. */
export function requireShortLine(command: string, args: readonly string[]): void {
  if (args.length > MOST_ARGUMENTS) failTooLong(command);
  let characters = 0;
  for (const argument of args) {
    if (argument.length >= LONGEST_ARGUMENT) failTooLong(command);
    characters += argument.length;
  }
  if (characters > MOST_CHARACTERS) failTooLong(command);
}

/** Fails as the system does when it is given more arguments than it can pass. */
export function failTooLong(command: string): never {
  fail({ kind: 'io', path: command, action: 'run', code: 'E2BIG' });
}
