/** The memory of a command is that of all its processes together, each of which may keep to its own limit. */
import { freemem } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../client.ts';
import { temporaryDirectory } from '../tree.ts';
import { boxed, modes, programOnPath } from './commands-fixture.ts';
import { leftovers, uniqueSeconds } from './processes.ts';

const GIB = 1024 ** 3;
const able = process.platform === 'linux' && programOnPath('python3') !== undefined && freemem() > 7 * GIB;

describe.skipIf(!able)(
  'a command of several processes (needs Linux, python3 and 7 GiB of free memory)',
  () => {
    let base: ReturnType<typeof temporaryDirectory>;
    let server: RawClient;

    beforeAll(async () => {
      base = temporaryDirectory();
      server = await RawClient.start([
        '--dialect',
        'replay',
        '--sandbox',
        boxed ? 'require' : 'off',
        base.path,
      ]);
    });

    afterAll(async () => {
      await server.end();
      base.remove();
    });

    it(`is ended when they take too much memory together, ${modes[0]}`, async () => {
      const seconds = uniqueSeconds();
      const taker = `python3 -c "x = b'x' * ${GIB}; import time; time.sleep(${seconds})"`;
      const { result } = await server.call('execute_command', {
        command: `for i in 1 2 3 4 5; do ${taker} & done; wait; echo survived`,
        timeout: 60,
      });
      expect(result).toMatchObject({ isError: true });
      expect(result!.content[0]!.text).toContain('[ended: too much memory]');
      expect(result!.content[0]!.text).not.toContain('survived');
      expect(await leftovers(seconds)).toEqual([]);
    });

    it('is ended when it takes too much memory that others could share', async () => {
      const seconds = uniqueSeconds();
      const taker = [
        'import mmap, time',
        `shared = [mmap.mmap(-1, ${GIB}) for _ in range(5)]`,
        'for one in shared:',
        ' for _ in range(1024): one.write(b"x" * 1048576)',
        `time.sleep(${seconds})`,
      ].join('\n');
      const { result } = await server.call('execute_command', {
        command: `python3 -c '${taker}'`,
        timeout: 60,
      });
      expect(result!.content[0]!.text).toContain('[ended: too much memory]');
      expect(await leftovers(seconds)).toEqual([]);
    });

    it('may have pages in common that count once', async () => {
      const parent = [
        `x = bytearray(b"x") * ${GIB}`,
        'import os, time',
        'pids = [os.fork() for i in range(3)]',
        'time.sleep(2)',
        'print(len(x)) if 0 not in pids else os._exit(0)',
      ].join('\n');
      const forked = await server.text('execute_command', { command: `python3 -c '${parent}'`, timeout: 60 });
      expect(forked).toContain(`${GIB}\n`);
      expect(forked).toContain('[exit code: 0]');
    });
  },
);
