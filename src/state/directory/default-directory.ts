/** The state directory to use when the user names none. */
import { isAbsolute, join } from 'node:path';

/** Ignores a relative path in XDG_STATE_HOME, as the XDG base directory specification requires. */
export function defaultStateDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const { XDG_STATE_HOME: base } = environment;
  return join(base && isAbsolute(base) ? base : join(home, '.local', 'state'), 'cofferdam');
}
