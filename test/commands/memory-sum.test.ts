/** The memory limit holds for all processes of a command together, even if each stays below its own limit. */
import { freemem } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../client.ts';
import { leftovers, uniqueSeconds } from '../processes.ts';
import { soak } from '../soak.ts';
import { temporaryDirectory } from '../tree.ts';
import { boxed, modes, programOnPath } from './commands-fixture.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
type Takers = Record<string, (seconds: string) => string[]>;
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

    const ownMemory = (mebibytes: number, seconds: string) =>
      `python3 -c "x = b'x' * ${mebibytes * MIB}; import time; time.sleep(${seconds})"`;
    const sharedMemory = (mebibytes: number, seconds: string) =>
      `python3 -c "import mmap, time; x = mmap.mmap(-1, ${mebibytes * MIB}); [x.write(b'x' * ${MIB}) for _ in range(${mebibytes})]; time.sleep(${seconds})"`;
    /** Takes the memory without filling it, which would take longer. */
    const fileInMemory = (mebibytes: number, seconds: string) =>
      `python3 -c "import os, time; f = os.memfd_create('x'); os.posix_fallocate(f, 0, ${mebibytes * MIB}); time.sleep(${seconds})"`;

    /** Filling gigabytes takes long. The first taker is over the limit only if every kind of its memory counts. */
    const takers: Takers = {
      'too much memory together, some of it such that others could share it': (seconds) => [
        ownMemory(250, seconds),
        sharedMemory(250, seconds),
        fileInMemory(1850, seconds),
        fileInMemory(1850, seconds),
      ],
      ...soak<Takers>(
        {},
        {
          'too much memory together': (seconds) => Array<string>(5).fill(ownMemory(1024, seconds)),
          'too much memory that others could share': (seconds) => [sharedMemory(5 * 1024, seconds)],
        },
      ),
    };
    it.each(Object.entries(takers))(`is ended when it takes %s, ${modes[0]}`, async (_, of) => {
      const seconds = uniqueSeconds();
      const inBackground = of(seconds).map((taker) => `${taker} &`);
      const { result } = await server.call('execute_command', {
        command: `${inBackground.join(' ')} wait; echo survived`,
        timeout: 60,
      });
      expect(result).toMatchObject({ isError: true });
      expect(result!.content[0]!.text).toContain('[ended: too much memory]');
      expect(result!.content[0]!.text).not.toContain('survived');
      expect(await leftovers(seconds)).toEqual([]);
    });

    it('may share pages, which count once', async () => {
      // If the shared pages counted for each process, they would be over the limit.
      const parent = [
        `x = bytearray(b"x") * ${320 * MIB}`,
        'import os, time',
        'pids = []',
        'while len(pids) < 15 and 0 not in pids: pids.append(os.fork())',
        'time.sleep(2)',
        'print(len(x)) if 0 not in pids else os._exit(0)',
      ].join('\n');
      const forked = await server.text('execute_command', { command: `python3 -c '${parent}'`, timeout: 60 });
      expect(forked).toContain(`${320 * MIB}\n`);
      expect(forked).toContain('[exit code: 0]');
    });
  },
);
