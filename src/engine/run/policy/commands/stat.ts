/** stat: prints what the system knows about a file. */

import type { CommandPolicy } from '../declaration.ts';

export const stat: CommandPolicy = {
  name: 'stat',
  // Following a link is harmless: the check refuses an operand that leads outside, with or without -L.
  flags: ['L dereference', 'f file-system', 't terse', 'help', 'version'],
  values: [
    { names: 'c format', takes: 'text' },
    { names: 'printf', takes: 'text' },
    { names: 'cached', takes: ['always', 'never', 'default'] },
  ],
  refused: [],
  operands: { rest: 'path' },
  metadataOnly: true,
};
