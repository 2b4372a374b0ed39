/** awk: prints what a program makes of lines. The program itself must not read, write or run anything. */

import type { CommandPolicy, InspectedLine } from '../declaration.ts';
import { refuse } from '../declaration.ts';
import { awkScriptProblem } from '../scripts/awk-script.ts';

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const NAMESPACED = /^[A-Za-z_]\w*::[^/]*=/;
const CHOOSES_FILES = /^(?:ARGC|ARGV|ARGIND|ENVIRON|SYMTAB|FUNCTAB|PROCINFO|TEXTDOMAIN)=/;

function refuseDangerousProgram({ scripts, exempt, values, paths }: InspectedLine): void {
  for (const { option, value } of values) {
    if (option === 'v' && !ASSIGNMENT.test(value)) refuse('awk', value, '-v takes NAME=VALUE');
    if (option === 'v') refuseAssignment(value);
  }
  for (const assignment of exempt) refuseAssignment(assignment);
  const odd = paths.find(({ path }) => path.startsWith('-'));
  if (odd) refuse('awk', odd.path, 'some versions of awk take this for an option', `./${odd.path}`);
  const assigns = paths.find(({ path }) => NAMESPACED.test(path));
  if (assigns) {
    refuse('awk', assigns.path, 'some versions of awk take this for an assignment', `./${assigns.path}`);
  }
  const problem = awkScriptProblem(scripts[0] ?? '');
  if (problem) refuse('awk', problem.at, problem.reason, problem.instead);
}

function refuseAssignment(assignment: string): void {
  if (CHOOSES_FILES.test(assignment)) {
    refuse('awk', assignment, 'this variable is how awk chooses its files', 'name the files as operands');
  }
}

export const awk: CommandPolicy = {
  name: 'awk',
  flags: [],
  values: [
    { names: 'F field-separator', takes: 'text' },
    { names: 'v assign', takes: 'text' },
  ],
  refused: [
    { names: 'f file E exec', reason: 'a program in a file cannot be checked', instead: 'awk PROGRAM' },
    { names: 'e source', reason: 'the program is the first operand', instead: 'awk PROGRAM' },
    { names: 'i include l load', reason: 'awk would load a library' },
    { names: 'o pretty-print d dump-variables p profile D debug', reason: 'awk would write a file' },
    { names: 'W', reason: 'it hides another option' },
  ],
  operands: { leading: { takes: 'script', unless: '' }, rest: 'path', exempt: ASSIGNMENT },
  ordered: true,
  alwaysGnu: ['--sandbox'],
  inspect: refuseDangerousProgram,
};
