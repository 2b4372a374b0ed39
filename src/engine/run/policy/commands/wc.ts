/** wc: counts lines, words and bytes. */

import { type CommandPolicy, LISTS_FILES } from '../declaration.ts';

export const wc: CommandPolicy = {
  name: 'wc',
  flags: ['c bytes', 'm chars', 'l lines', 'L max-line-length', 'w words', 'help', 'version'],
  values: [{ names: 'total', takes: ['auto', 'always', 'only', 'never'] }],
  refused: [{ names: 'files0-from', ...LISTS_FILES }],
  operands: { rest: 'path' },
};
