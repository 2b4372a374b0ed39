/** du: says how much space directories take. */

import { type CommandPolicy, LISTS_FILES } from '../declaration.ts';

export const du: CommandPolicy = {
  name: 'du',
  flags: [
    '0 null',
    'a all',
    'A apparent-size',
    'b bytes',
    'c total',
    // Following operands is harmless: the check refuses one that leads outside anyway.
    'D dereference-args H',
    'h human-readable',
    'inodes',
    'k',
    'l count-links',
    'm',
    'P no-dereference',
    'S separate-dirs',
    's summarize',
    'si',
    'x one-file-system',
    'help',
    'version',
  ],
  values: [
    { names: 'B block-size', takes: 'text' },
    { names: 'd max-depth', takes: 'number' },
    { names: 't threshold', takes: 'number' },
    { names: 'exclude', takes: 'pattern' },
    { names: 'X exclude-from', takes: 'path' },
    { names: 'time', takes: ['atime', 'access', 'use', 'ctime', 'status'], optional: true },
    { names: 'time-style', takes: 'text' },
  ],
  refused: [
    { names: 'L dereference', reason: 'du would follow every link, also those that lead outside' },
    { names: 'files0-from', ...LISTS_FILES },
  ],
  operands: { rest: 'path' },
  metadataOnly: true,
  dashIsName: true,
};
