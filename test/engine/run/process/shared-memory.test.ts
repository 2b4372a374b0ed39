/** Shared memory counts as memory of a run even if the kernel counts it for none of its processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { ProcessTree } from '../../../../src/engine/run/process/process-tree.ts';
import { programOnPath } from '../../../commands/commands-fixture.ts';

const able = process.platform === 'linux' && programOnPath('python3') !== undefined;
const MIB = 1024 ** 2;
const LIMIT = 48;

/** Each takes 64 MiB, none of which is in a page table afterwards. */
const takers = {
  'a file in memory': `import os; f = os.memfd_create('x'); [os.write(f, b'x' * ${MIB}) for _ in range(64)]`,
  'a mapping that it took out of its page table': `
import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
at = libc.mmap(None, ctypes.c_size_t(64 * ${MIB}), 3, 0x21, -1, ctypes.c_long(0))
ctypes.memset(at, 1, 64 * ${MIB})
libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(64 * ${MIB}), mmap.MADV_DONTNEED)
`,
};

it.skipIf(!able).each(Object.entries(takers))(
  '%s counts as memory of the run (needs Linux and python3)',
  async (_, script) => {
    const child = spawn('python3', ['-c', `${script}\nprint('taken', flush=True)\ninput()`]);
    try {
      const tree = new ProcessTree(child.pid!, 'mark', false);
      await once(child.stdout, 'data');
      tree.observe();
      expect(tree.memoryMiB(LIMIT, 0)).toBeLessThan(LIMIT);
      expect(tree.memoryMiB(LIMIT, 70 * 1024)).toBeGreaterThanOrEqual(64);
      // Memory of other programs on this machine does not count.
      expect(tree.memoryMiB(LIMIT, 4096 * 1024)).toBeLessThan(130);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
