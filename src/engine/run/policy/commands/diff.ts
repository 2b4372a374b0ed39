/** diff: compares two files, or two directories without following the links in them. */

import { basename } from 'node:path';
import type { CommandPolicy, InspectedLine, Installed } from '../declaration.ts';
import { refuse, refuseSpecial } from '../declaration.ts';

function refuseLinksInDirectories({ options, paths }: InspectedLine): void {
  const directory = paths.find((seen) => seen.type === 'directory');
  if (!options.has('no-dereference') && (directory || options.has('r'))) {
    const reason = 'diff would follow the links in a directory, also those that lead outside';
    refuse('diff', directory?.path ?? '-r', reason, 'diff --no-dereference');
  }
}

/** Given a file and a directory, diff opens the file of the same name in the directory, which is not an argument. */
function refuseNamesakes({ paths }: InspectedLine, { typeOf }: Installed): readonly string[] {
  for (const directory of paths.filter(({ type }) => type === 'directory')) {
    for (const { path } of paths.filter(({ type }) => type !== 'directory')) {
      const namesake = `${directory.path}/${basename(path)}`;
      if (typeOf(namesake) === 'special') refuseSpecial('diff', namesake);
    }
  }
  return [];
}

const GROUPS = ['old', 'new', 'unchanged', 'changed'].map((type) => `${type}-group-format`);
const LINES = ['old', 'new', 'unchanged'].map((type) => `${type}-line-format`);

export const diff: CommandPolicy = {
  name: 'diff',
  flags: [
    'a text',
    'b ignore-space-change',
    'B ignore-blank-lines',
    'c',
    'd minimal',
    'e ed',
    'E ignore-tab-expansion',
    'i ignore-case',
    'ignore-file-name-case',
    'no-ignore-file-name-case',
    'left-column',
    'n rcs',
    'N new-file',
    'unidirectional-new-file',
    'no-dereference',
    'normal',
    'p show-c-function',
    'q brief',
    'r recursive',
    's report-identical-files',
    'speed-large-files H',
    'strip-trailing-cr',
    'suppress-blank-empty',
    'suppress-common-lines',
    't expand-tabs',
    'T initial-tab',
    'u',
    'w ignore-all-space',
    'y side-by-side',
    'Z ignore-trailing-space',
    'v version',
    'help',
  ],
  values: [
    { names: 'C', takes: 'number' },
    { names: 'context', takes: 'number', optional: true },
    { names: 'U', takes: 'number' },
    { names: 'unified', takes: 'number', optional: true },
    { names: 'F show-function-line', takes: 'pattern' },
    { names: 'I ignore-matching-lines', takes: 'pattern' },
    { names: 'D ifdef', takes: 'text' },
    { names: 'L label', takes: 'text' },
    { names: 'S starting-file', takes: 'text' },
    { names: 'W width', takes: 'number' },
    { names: 'tabsize', takes: 'number' },
    { names: 'horizon-lines', takes: 'number' },
    { names: 'x exclude', takes: 'pattern' },
    { names: 'X exclude-from', takes: 'path' },
    { names: 'from-file', takes: 'path' },
    { names: 'to-file', takes: 'path' },
    { names: 'color', takes: ['always', 'auto', 'never'], optional: true },
    { names: 'palette', takes: 'text' },
    { names: 'line-format', takes: 'text' },
    ...[...GROUPS, ...LINES].map((names) => ({ names, takes: 'text' as const })),
  ],
  refused: [{ names: 'l paginate', reason: 'diff would run another program, pr' }],
  operands: { rest: 'path' },
  inspect: refuseLinksInDirectories,
  last: refuseNamesakes,
};
