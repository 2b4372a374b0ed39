/** What four dialects say when the database of a fleet is away: a client can only try again. */

export function stateUnavailable(path: string): string {
  return `the database that keeps the history cannot be reached, so ${path} was not changed; reading still works, try the change again in a moment`;
}
