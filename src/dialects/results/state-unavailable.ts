/** What four dialects say when the database of a fleet cannot be reached: a client can only try again. */

export function stateUnavailable(path: string): string {
  return `the database that keeps the history cannot be reached, so ${path} was not changed; reading still works, try the change again in a moment`;
}
