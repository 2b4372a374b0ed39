/** The error that a client gets when the server fails unexpectedly. The stack and paths go only to the log. */
import { INTERNAL_ERROR } from './json-rpc.ts';

export function internalError(doing: string, error: unknown): { code: number; message: string } {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  // A system code such as EMFILE or ENOSPC tells the owner what to fix and reveals no path.
  const cause = typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? `: ${code}` : '';
  return { code: INTERNAL_ERROR, message: `Internal error in ${doing}${cause}` };
}
