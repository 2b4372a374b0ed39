/** cut: prints columns of lines. */

import type { CommandPolicy } from '../declaration.ts';

export const cut: CommandPolicy = {
  name: 'cut',
  flags: ['n', 'complement', 's only-delimited', 'z zero-terminated', 'help', 'version'],
  values: [
    { names: 'b bytes', takes: 'text' },
    { names: 'c characters', takes: 'text' },
    { names: 'd delimiter', takes: 'text' },
    { names: 'f fields', takes: 'text' },
    { names: 'output-delimiter', takes: 'text' },
  ],
  refused: [],
  operands: { rest: 'path' },
};
