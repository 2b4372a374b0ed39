/** Reads the switches that the environment may turn on, too. */
import type { Environment } from '../../surroundings.ts';
import { UsageError } from '../../usage-error.ts';
import type { OptionValues } from '../split.ts';

/** For launchers that can set a variable to true or false, but cannot leave out an argument. */
export function switchesIn({ COFFERDAM_READ_ONLY: text = '' }: Environment): OptionValues {
  const value = text.toLowerCase();
  if (value === 'true' || value === '1') return { 'read-only': true };
  if (value === 'false' || value === '0' || value === '') return {};
  throw new UsageError(`COFFERDAM_READ_ONLY is true or false, not '${text}'`);
}
