/** tr: translates its standard input, which is always empty; its operands are sets of characters. */

import type { CommandPolicy } from '../declaration.ts';

export const tr: CommandPolicy = {
  name: 'tr',
  flags: ['c C complement', 'd delete', 's squeeze-repeats', 't truncate-set1', 'help', 'version'],
  values: [],
  refused: [],
  operands: { rest: 'text', atMost: 2 },
};
