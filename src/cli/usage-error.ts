/** Wrong use of the command line. main.ts prints the message in one line and exits with code 2. */
export class UsageError extends Error {}
