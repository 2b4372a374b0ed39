/** file: guesses what kind of file it is given, with the system's own magic file only. */

import { type CommandPolicy, LISTS_FILES } from '../declaration.ts';

export const file: CommandPolicy = {
  name: 'file',
  flags: [
    'b brief',
    'E',
    'h no-dereference',
    'i mime',
    'mime-type',
    'mime-encoding',
    'apple',
    'extension',
    'k keep-going',
    'L dereference',
    'N no-pad',
    'n no-buffer',
    'r raw',
    '0 print0',
    'v version',
    'help',
  ],
  values: [
    { names: 'e exclude', takes: 'text' },
    { names: 'exclude-quiet', takes: 'text' },
    { names: 'F separator', takes: 'text' },
    { names: 'P parameter', takes: 'text' },
  ],
  refused: [
    { names: 'f files-from', ...LISTS_FILES },
    { names: 'C compile', reason: 'file would write a compiled magic file' },
    { names: 'm magic-file', reason: 'only the magic of the system is used' },
    { names: 's special-files', reason: 'devices are never opened' },
    { names: 'z uncompress Z uncompress-noreport', reason: 'file would run decompressors' },
    { names: 'p preserve-date', reason: 'file would change the time stamps of what it reads' },
    { names: 'S no-sandbox', reason: "file's own sandbox stays on" },
  ],
  operands: { rest: 'path' },
  metadataOnly: true,
};
