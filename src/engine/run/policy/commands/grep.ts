/** grep: searches lines in files. */

import type { CommandPolicy, InspectedLine, Installed } from '../declaration.ts';
import { refuse } from '../declaration.ts';

/** grep may meet FIFOs and devices in a directory. It must never open them, even with `-D read`. */
function skipDevices({ options, values }: InspectedLine, { gnu }: Installed): readonly string[] {
  if (gnu) return ['--devices=skip'];
  const recurses =
    options.has('r') || values.some(({ option, value }) => option === 'd' && value === 'recurse');
  if (recurses) refuse('grep', '-r', 'the grep that is installed opens FIFOs and devices on its way', 'rg');
  return [];
}

export const grep: CommandPolicy = {
  name: 'grep',
  flags: [
    // -5 is short for -C 5, and digits may follow other letters: -n5.
    ...'0123456789',
    'a text',
    'b byte-offset',
    'c count',
    'E extended-regexp',
    'F fixed-strings',
    'G basic-regexp',
    'H with-filename',
    'h no-filename',
    'i y ignore-case',
    'no-ignore-case',
    'I',
    'L files-without-match',
    'l files-with-matches',
    'line-buffered',
    'n line-number',
    'no-group-separator',
    'o only-matching',
    'P perl-regexp',
    'q quiet silent',
    'r recursive',
    's no-messages',
    'T initial-tab',
    'U binary',
    'u unix-byte-offsets',
    'v invert-match',
    'w word-regexp',
    'x line-regexp',
    'z null-data',
    'Z null',
    'V version',
    'help',
  ],
  values: [
    { names: 'A after-context', takes: 'number' },
    { names: 'B before-context', takes: 'number' },
    { names: 'C context', takes: 'number' },
    { names: 'e regexp', takes: 'pattern' },
    { names: 'f file', takes: 'path' },
    { names: 'm max-count', takes: 'number' },
    { names: 'd directories', takes: ['read', 'recurse', 'skip'] },
    { names: 'D devices', takes: ['read', 'skip'] },
    { names: 'binary-files', takes: ['binary', 'text', 'without-match'] },
    { names: 'color colour', takes: ['always', 'auto', 'never'], optional: true },
    { names: 'exclude', takes: 'pattern' },
    { names: 'exclude-dir', takes: 'pattern' },
    { names: 'exclude-from', takes: 'path' },
    { names: 'include', takes: 'pattern' },
    { names: 'group-separator', takes: 'text' },
    { names: 'label', takes: 'text' },
  ],
  refused: [
    {
      names: 'R dereference-recursive',
      reason: 'grep would follow every link, also those that lead outside',
      instead: 'grep -r',
    },
  ],
  operands: { leading: { takes: 'pattern', unless: 'e f' }, rest: 'path' },
  last: skipDevices,
};
