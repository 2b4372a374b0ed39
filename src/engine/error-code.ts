/** The code of an error of the system, such as `ENOENT`; the words of any other error. */
export function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
