/** Where the state is kept when nobody names a place. */
import { isAbsolute, join } from 'node:path';

/** Ignores a relative path in the variable, as the XDG base directory specification says. */
export function usualStateDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const { XDG_STATE_HOME: base } = environment;
  return join(base && isAbsolute(base) ? base : join(home, '.local', 'state'), 'cofferdam');
}
