/** tail: prints the last lines or bytes of files, without waiting for more. */

import type { CommandPolicy } from '../declaration.ts';
import { refuse } from '../declaration.ts';

const WAITS = 'tail would wait for the file to grow and never end';

export const tail: CommandPolicy = {
  name: 'tail',
  flags: ['q quiet silent', 'v verbose', 'z zero-terminated', 'help', 'version'],
  values: [
    { names: 'c bytes', takes: 'number' },
    { names: 'n lines', takes: 'number' },
  ],
  refused: [
    { names: 'f follow F retry', reason: WAITS, instead: 'call tail again later' },
    { names: 'pid s sleep-interval max-unchanged-stats', reason: 'it only means something to tail -f' },
  ],
  operands: { rest: 'path' },
  shorthand: (argument) => {
    const [, sign, count, unit, follow] = /^([-+])(\d+)([bcl]?)(f?)$/.exec(argument) ?? [];
    if (sign === undefined || count === undefined) return undefined;
    if (follow) refuse('tail', argument, WAITS, 'call tail again later');
    const signed = sign === '+' ? `+${count}` : count;
    if (unit === 'b') return ['-c', `${signed}b`];
    return [unit === 'c' ? '-c' : '-n', signed];
  },
};
