/** sed: prints lines as a script changes them. The script itself must not read, write or run anything. */

import type { CommandPolicy, InspectedLine } from '../declaration.ts';
import { refuse } from '../declaration.ts';
import { sedScriptProblem } from '../scripts/sed-script.ts';

function refuseDangerousScript({ scripts }: InspectedLine): void {
  const problem = sedScriptProblem(scripts.join('\n'));
  if (problem) refuse('sed', problem.at, problem.reason, problem.instead);
}

export const sed: CommandPolicy = {
  name: 'sed',
  flags: [
    'b binary',
    'debug',
    'E r regexp-extended',
    'n quiet silent',
    's separate',
    'sandbox',
    'u unbuffered',
    'z null-data',
    'help',
    'version',
  ],
  values: [
    { names: 'e expression', takes: 'script' },
    { names: 'l line-length', takes: 'number' },
  ],
  refused: [
    {
      names: 'i I in-place',
      reason: 'sed would change the file itself',
      instead: 'the tools that edit files',
    },
    { names: 'f file', reason: 'a script in a file cannot be checked', instead: 'sed -e SCRIPT' },
    { names: 'follow-symlinks', reason: 'it only means something to sed -i' },
  ],
  operands: { leading: { takes: 'script', unless: 'e' }, rest: 'path' },
  alwaysGnu: ['--sandbox'],
  inspect: refuseDangerousScript,
};
