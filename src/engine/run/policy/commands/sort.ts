/** sort: prints the lines of files in order, but never to a file or through another program. */

import { type CommandPolicy, LISTS_FILES } from '../declaration.ts';

const WAYS = ['general-numeric', 'human-numeric', 'month', 'numeric', 'random', 'version'];

export const sort: CommandPolicy = {
  name: 'sort',
  flags: [
    'b ignore-leading-blanks',
    'd dictionary-order',
    'f ignore-case',
    'g general-numeric-sort',
    'h human-numeric-sort',
    'i ignore-nonprinting',
    'M month-sort',
    'm merge',
    'n numeric-sort',
    'R random-sort',
    'r reverse',
    's stable',
    'u unique',
    'V version-sort',
    'z zero-terminated',
    'c',
    'C',
    'debug',
    'help',
    'version',
  ],
  values: [
    { names: 'k key', takes: 'text' },
    { names: 't field-separator', takes: 'text' },
    { names: 'S buffer-size', takes: 'number' },
    { names: 'parallel', takes: 'number' },
    { names: 'batch-size', takes: 'number' },
    { names: 'sort', takes: WAYS },
    { names: 'check', takes: ['quiet', 'silent', 'diagnose-first'], optional: true },
    { names: 'random-source', takes: 'path' },
  ],
  refused: [
    {
      names: 'o output',
      reason: 'sort would write a file',
      instead: 'the tools that write files',
    },
    { names: 'compress-program', reason: 'sort would run that program' },
    { names: 'T temporary-directory', reason: 'temporary files have their own place' },
    { names: 'files0-from', ...LISTS_FILES },
  ],
  operands: { rest: 'path' },
};
