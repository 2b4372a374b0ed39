/** head: prints the first lines or bytes of files. */

import type { CommandPolicy } from '../declaration.ts';

export const head: CommandPolicy = {
  name: 'head',
  flags: ['q quiet silent', 'v verbose', 'z zero-terminated', 'help', 'version'],
  values: [
    { names: 'c bytes', takes: 'number' },
    { names: 'n lines', takes: 'number' },
  ],
  refused: [],
  operands: { rest: 'path' },
  shorthand: (argument) => {
    const count = /^-(\d+)$/.exec(argument)?.[1];
    return count === undefined ? undefined : ['-n', count];
  },
};
