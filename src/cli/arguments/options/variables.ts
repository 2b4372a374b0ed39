/** The switches that the environment may turn on as well. */
import type { Environment } from '../../surroundings.ts';
import { UsageError } from '../../usage-error.ts';
import type { OptionValues } from '../split.ts';

/** For what starts the server with true or false in a variable, but cannot leave an argument out. */
export function switchesIn({ COFFERDAM_READ_ONLY: text = '' }: Environment): OptionValues {
  const value = text.toLowerCase();
  if (value === 'true' || value === '1') return { 'read-only': true };
  if (value === 'false' || value === '0' || value === '') return {};
  throw new UsageError(`COFFERDAM_READ_ONLY is true or false, not '${text}'`);
}
