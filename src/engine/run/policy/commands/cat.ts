/** cat: prints files, one after the other. */

import type { CommandPolicy } from '../declaration.ts';

export const cat: CommandPolicy = {
  name: 'cat',
  flags: [
    'A show-all',
    'b number-nonblank',
    'e',
    'E show-ends',
    'n number',
    's squeeze-blank',
    't',
    'T show-tabs',
    'u',
    'v show-nonprinting',
    'help',
    'version',
  ],
  values: [],
  refused: [],
  operands: { rest: 'path' },
};
