/**
 * Chooses the directory for the temporary files of a test. For the folders below it is in memory, where a new file
 * takes a twentieth of the processor time that it takes on a disk. A soak has all files on disk.
 */
import { join } from 'node:path';
import { expect } from 'vitest';
import { soak } from './soak.ts';

const IN_MEMORY = [
  'fleet/',
  'change-view/',
  'cli/',
  'dialects/',
  'engine/',
  'library/',
  'server/',
  'state/directory/',
  'trace/',
];
/** These are about two file systems, about what npm starts, or about a sandbox, which has a /dev of its own. */
const ON_DISK = [
  'cli/start',
  'engine/journal/devices',
  'engine/run/sandbox/',
  'engine/undo/attack',
  'engine/undo/moved',
  'server/page/undo',
];

const { testPath } = expect.getState();
const isIn = (names: readonly string[]) => names.some((name) => testPath!.includes(`/test/${name}`));
const under = soak(isIn(IN_MEMORY) && !isIn(ON_DISK), false)
  ? process.env.COFFERDAM_TESTS_MEMORY!
  : process.env.COFFERDAM_TESTS_DISK!;
process.env.TMPDIR = join(under, 'tmp');
process.env.XDG_STATE_HOME = join(under, 'state');
