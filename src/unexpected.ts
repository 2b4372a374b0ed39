/** An error that no code expected, for the operator's log: with its stack, which clients never see. */
export function unexpected(error: unknown): string {
  return `unexpected ${error instanceof Error ? error.stack : String(error)}`;
}
