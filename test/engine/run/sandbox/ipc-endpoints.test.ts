import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findIpcEndpoints } from '../../../../src/engine/run/sandbox/ipc-endpoints.ts';
import { layOut, temporaryDirectory } from '../../../tree.ts';

describe.runIf(process.platform === 'linux')('the sockets and FIFOs in read-only roots (needs Linux)', () => {
  let base: ReturnType<typeof temporaryDirectory>;
  let server: Server;
  const root = (path: string, writable = false) => ({ path: join(base.path, path), writable });
  const find = async (roots: ReturnType<typeof root>[], maxEntries?: number) => {
    const { paths, incomplete } = await findIpcEndpoints(roots, undefined, maxEntries);
    const short = (path: string) => path.slice(base.path.length + 1);
    return { paths: paths.map(short).sort(), incomplete: incomplete && short(incomplete) };
  };

  beforeEach(async () => {
    base = temporaryDirectory();
    layOut(base.path, { 'ro/a/b/file': '', 'ro/a/work/x': '', 'rw/x': '' });
    for (const path of ['ro/pipe', 'ro/a/b/pipe', 'ro/a/work/pipe', 'rw/pipe']) {
      execFileSync('mkfifo', [join(base.path, path)]);
    }
    server = createServer();
    await new Promise<void>((resolve) => server.listen(join(base.path, 'ro/a/s.sock'), resolve));
  });

  afterEach(() => {
    server.close();
    base.remove();
  });

  it('are found at any depth, but not in writable roots', async () => {
    const paths = ['ro/a/b/pipe', 'ro/a/s.sock', 'ro/a/work/pipe', 'ro/pipe'];
    expect(await find([root('rw', true), root('ro')])).toEqual({ paths, incomplete: undefined });
    const outside = paths.filter((path) => !path.startsWith('ro/a/work'));
    expect(await find([root('ro'), root('ro/a/work', true)])).toEqual({
      paths: outside,
      incomplete: undefined,
    });
    expect(await find([root('rw', true)])).toEqual({ paths: [], incomplete: undefined });
  });

  it('are found near the top when a root has too many entries, and the result says so', async () => {
    expect(await find([root('ro')], 2)).toEqual({ paths: ['ro/pipe'], incomplete: 'ro' });
    expect(await find([root('ro')], 100)).toMatchObject({ incomplete: undefined });
  });

  it('cannot be masked under a name that is not UTF-8, and the result says so', async () => {
    mkdirSync(Buffer.concat([Buffer.from(join(base.path, 'ro/')), Buffer.from([0xff])]));
    expect(await find([root('ro')])).toMatchObject({ incomplete: 'ro' });
  });
});
