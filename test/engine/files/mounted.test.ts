/** A mount point inside a root: what is mounted there survives a removal that cannot succeed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { program } from '../../client.ts';
import { temporaryDirectory } from '../../tree.ts';

const OWN_MOUNTS = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
const canMount = spawnSync('unshare', [...OWN_MOUNTS, 'mount -t tmpfs none /mnt']).status === 0;

let base: { path: string; remove(): void };
beforeEach(() => {
  base = temporaryDirectory();
});
afterEach(() => base.remove());

describe.runIf(canMount)('a recursive delete', () => {
  it.each(['a volume', 'outer'])('leaves a mount point and everything in it alone: %s', (path) => {
    const volume = join(base.path, 'root', path === 'outer' ? 'outer/inner' : path);
    mkdirSync(volume, { recursive: true });
    const script =
      'mount -t tmpfs none "$1" && echo kept > "$1/file" && "$2" "$3" call delete_file "$4" --no-journal "$5"; cat "$1/file"';
    const args = JSON.stringify({ path, recursive: true });
    const { stdout, stderr } = spawnSync(
      'unshare',
      [...OWN_MOUNTS, script, 'sh', volume, process.execPath, program, args, join(base.path, 'root')],
      { encoding: 'utf8' },
    );
    expect(stderr).toContain(`EBUSY: cannot delete '${path}'`);
    expect(stdout).toBe('kept\n');
  });
});
