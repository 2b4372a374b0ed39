/** Temporary files behind writes: whose they are, when they are litter, and that nobody else sees them. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLitter, isTemporary, temporaryName } from '../../../src/engine/confine/temporaries.ts';
import { siteOf, wallKinds } from './site.ts';

const HOUR_MS = 3_600_000;

/** A name as another process would have given it. */
function nameOf(pid: number, started: number, namespace = ownNamespace()): string {
  return `.cofferdam-${namespace}-${pid}-${started.toString(36)}-0123456789abcdef.tmp`;
}

function ownNamespace(): string {
  return Number(/\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0]).toString(36);
}

function startOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}

describe.runIf(process.platform === 'linux')('a temporary file', () => {
  it('of this process is not litter', () => {
    const name = temporaryName();
    expect(isTemporary(name)).toBe(true);
    expect(isLitter(name, 10 * HOUR_MS)).toBe(false);
    expect(temporaryName()).not.toBe(name);
  });

  it('of a process that is gone is litter', () => {
    expect(isLitter(nameOf(2 ** 22 - 1, 1), 0)).toBe(true);
  });

  it('of a process whose number belongs to another one now is litter', () => {
    expect(isLitter(nameOf(process.pid, startOf(process.pid) - 1), 0)).toBe(true);
    expect(isLitter(nameOf(process.ppid, startOf(process.ppid)), 0)).toBe(false);
  });

  it('of a process that was killed and that nobody has asked after is litter', async () => {
    // The shell starts a child, tells its number, and becomes a program that never looks after it.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
    try {
      const pid = await new Promise<number>((resolve) =>
        parent.stdout.once('data', (text) => resolve(Number(text))),
      );
      const name = nameOf(pid, startOf(pid));
      expect(isLitter(name, 0)).toBe(false);
      process.kill(pid, 'SIGKILL');
      const state = () => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))![1];
      while (state() !== 'Z') await new Promise((resolve) => setTimeout(resolve, 5));
      expect(isLitter(name, 0)).toBe(true);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('of another container is litter after an hour', () => {
    expect(isLitter(nameOf(1, 1, 'zzzz'), HOUR_MS / 2)).toBe(false);
    expect(isLitter(nameOf(1, 1, 'zzzz'), HOUR_MS * 2)).toBe(true);
  });

  it.each(['.cofferdam-x.tmp', '.cofferdam-1-2-3-0123456789abcdef.tmp.bak', 'x.tmp', '.cofferdam'])(
    'is not what only looks like one: %s',
    (name) => {
      expect(isTemporary(name)).toBe(false);
      expect(isLitter(name, 10 * HOUR_MS)).toBe(false);
    },
  );
});

describe.each(wallKinds)('with the %s wall', (kind) => {
  const dead = '.cofferdam-zzzz-1-1-0123456789abcdef.tmp';
  const old = new Date(Date.now() - 2 * HOUR_MS);

  it('litter goes with the next write to its directory, and nothing else goes', async () => {
    const { engine, root } = siteOf(kind, { [`d/${dead}`]: 'x', [dead]: 'x', 'd/.cofferdam-mine.tmp': 'x' });
    utimesSync(join(root, dead), old, old);
    utimesSync(join(root, 'd', dead), old, old);
    await engine.write('d/a.txt', 'x');
    expect(readdirSync(join(root, 'd')).sort()).toEqual(['.cofferdam-mine.tmp', 'a.txt']);
    expect(readdirSync(root)).toContain(dead);
    await engine.write('a.txt', 'x');
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'd']);
  });

  it('a link that is named like litter is removed itself, not what it points at', async () => {
    const site = siteOf(kind);
    symlinkSync(join(site.outside, 'secret.txt'), join(site.root, dead));
    await site.engine.write('a.txt', 'x');
    site.expectOutsideUntouched();
  });

  it('temporary files show neither in listings nor in trees, and go with their directory', async () => {
    const { engine, root } = siteOf(kind, { [`d/${dead}`]: 'x', 'd/a.txt': 'a' });
    expect((await engine.list('d')).map(({ name }) => name)).toEqual(['a.txt']);
    expect((await engine.tree('d')).children).toEqual([{ name: 'a.txt', type: 'file' }]);
    writeFileSync(join(root, 'd', dead), 'again');
    await engine.remove('d', { recursive: true });
    expect(readdirSync(root)).toEqual([]);
  });
});
