/** uniq: drops repeated lines. It would write to its second operand, so it may have only one. */

import type { CommandPolicy } from '../declaration.ts';

export const uniq: CommandPolicy = {
  name: 'uniq',
  flags: ['c count', 'd repeated', 'D', 'i ignore-case', 'u unique', 'z zero-terminated', 'help', 'version'],
  values: [
    { names: 'f skip-fields', takes: 'number' },
    { names: 's skip-chars', takes: 'number' },
    { names: 'w check-chars', takes: 'number' },
    { names: 'all-repeated', takes: ['none', 'prepend', 'separate'], optional: true },
    { names: 'group', takes: ['separate', 'prepend', 'append', 'both'], optional: true },
  ],
  refused: [],
  operands: {
    rest: 'path',
    atMost: 1,
    tooMany: {
      reason: 'the second operand of uniq is the file that it writes',
      instead: 'the tools that write files',
    },
  },
};
