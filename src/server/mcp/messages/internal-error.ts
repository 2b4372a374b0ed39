/** What a client learns of an error that nobody expected: its stack and its paths go to the log alone. */
import { INTERNAL_ERROR } from './json-rpc.ts';

export function internalError(doing: string, error: unknown): { code: number; message: string } {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  // A code of the system such as EMFILE or ENOSPC tells the owner what to mend, and names no path.
  const cause = typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? `: ${code}` : '';
  return { code: INTERNAL_ERROR, message: `Internal error in ${doing}${cause}` };
}
