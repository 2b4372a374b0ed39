/** Wrong use of the command line: main.ts prints its message in one line and exits with code 2. */
export class UsageError extends Error {}
