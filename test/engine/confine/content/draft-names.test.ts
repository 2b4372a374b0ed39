/** The temporary files of writes: which server made them, when they are litter, and that nobody else sees them. */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isLitter, isTemporary, temporaryName } from '../../../../src/engine/confine/content/draft-names.ts';
import { serverId } from '../../../../src/engine/confine/content/server-identity.ts';
import { openWallFixture, wallKinds } from '../wall-fixture.ts';

const HOUR_MS = 3_600_000;

/** A name as another server would have given it. */
function nameOf(pid: number, started: number, domain = serverId().split('-')[0]!): string {
  return temporaryName(`${domain}-${pid}-${started.toString(36)}`);
}

/** A file that was last written this long ago. */
function aged(ageMs: number) {
  return { type: 'file', mtimeNs: BigInt(Date.now() - ageMs) * 1_000_000n } as const;
}

function startOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}

describe.runIf(process.platform === 'linux')('a temporary file', () => {
  it('is not litter if this process made it', () => {
    const name = temporaryName();
    expect(isTemporary(name, 'file')).toBe(true);
    expect(isLitter(name, aged(10 * HOUR_MS))).toBe(false);
    expect(temporaryName()).not.toBe(name);
  });

  it('is litter if its process is gone', () => {
    expect(isLitter(nameOf(2 ** 22 - 1, 1), aged(0))).toBe(true);
  });

  it('is litter if another process has its pid now', () => {
    expect(isLitter(nameOf(process.pid, startOf(process.pid) - 1), aged(0))).toBe(true);
    expect(isLitter(nameOf(process.ppid, startOf(process.ppid)), aged(0))).toBe(false);
  });

  it('is litter if its process was killed and not yet reaped by its parent', async () => {
    // The shell starts a child, prints its pid, and becomes a program that never reaps it.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
    try {
      const pid = await new Promise<number>((resolve) =>
        parent.stdout.once('data', (text) => resolve(Number(text))),
      );
      const name = nameOf(pid, startOf(pid));
      expect(isLitter(name, aged(0))).toBe(false);
      // While it is still a shell, it would reap its child.
      const program = () => readFileSync(`/proc/${parent.pid}/comm`, 'latin1').trim();
      while (program() !== 'sleep') await new Promise((resolve) => setTimeout(resolve, 5));
      process.kill(pid, 'SIGKILL');
      const state = () => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))![1];
      while (state() !== 'Z') await new Promise((resolve) => setTimeout(resolve, 5));
      expect(isLitter(name, aged(0))).toBe(true);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is litter after a day if another container or machine made it', () => {
    expect(isLitter(nameOf(1, 1, 'zzzz'), aged(HOUR_MS * 23))).toBe(false);
    expect(isLitter(nameOf(1, 1, 'zzzz'), aged(HOUR_MS * 25))).toBe(true);
  });

  it("is a file: a directory or a link of that name is somebody else's", () => {
    const name = nameOf(2 ** 22 - 1, 1);
    for (const type of ['directory', 'symlink', 'special'] as const) {
      expect(isTemporary(name, type)).toBe(false);
      expect(isLitter(name, { ...aged(100 * HOUR_MS), type })).toBe(false);
    }
  });

  it.each([
    '.cofferdam-x.tmp',
    '.cofferdam-1-2-3-0123456789abcdef.tmp.bak',
    '.cofferdam-1-2-3-0123456789abcdef.tmp',
    '.cofferdam-1-2-3-0123456789abcdef0123456789abcdef.tmp',
    'x.tmp',
    '.cofferdam',
  ])('is recognised by its full name, unlike %s', (name) => {
    expect(isTemporary(name, 'file')).toBe(false);
    expect(isLitter(name, aged(10 * HOUR_MS))).toBe(false);
  });
});

describe.each(wallKinds)('with the %s wall', (kind) => {
  const dead = temporaryName('zzzz-1-1');
  const old = new Date(Date.now() - 25 * HOUR_MS);

  it('the next write to a directory removes litter and nothing else', async () => {
    const { engine, root } = openWallFixture(kind, {
      [`d/${dead}`]: 'x',
      [dead]: 'x',
      'd/.cofferdam-mine.tmp': 'x',
    });
    utimesSync(join(root, dead), old, old);
    utimesSync(join(root, 'd', dead), old, old);
    await engine.files.write('d/a.txt', 'x');
    expect(readdirSync(join(root, 'd')).sort()).toEqual(['.cofferdam-mine.tmp', 'a.txt']);
    expect(readdirSync(root)).toContain(dead);
    await engine.files.write('a.txt', 'x');
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'd']);
  });

  it('a link with the name of litter is left alone, and so is its target', async () => {
    const fixture = openWallFixture(kind);
    symlinkSync(join(fixture.outside, 'secret.txt'), join(fixture.root, dead));
    await fixture.engine.files.write('a.txt', 'x');
    fixture.expectOutsideUntouched();
  });

  it('temporary files appear neither in listings nor in trees, and are removed with their directory', async () => {
    const { engine, root } = openWallFixture(kind, { [`d/${dead}`]: 'x', 'd/a.txt': 'a' });
    expect((await engine.files.list('d')).map(({ name }) => name)).toEqual(['a.txt']);
    expect((await engine.files.tree('d')).children).toEqual([{ name: 'a.txt', type: 'file' }]);
    writeFileSync(join(root, 'd', dead), 'again');
    await engine.files.remove('d', { recursive: true });
    expect(readdirSync(root)).toEqual([]);
  });

  it('a directory with the name of a temporary file appears in every listing, and stays', async () => {
    const { engine, root } = openWallFixture(kind, { [`${dead}/a.txt`]: 'needle', 'b.txt': 'b' });
    utimesSync(join(root, dead), old, old);
    await engine.files.write('c.txt', 'x');
    expect((await engine.files.list('.')).map(({ name }) => name)).toContain(dead);
    expect((await engine.files.tree('.')).children?.map(({ name }) => name)).toContain(dead);
    expect((await engine.files.listAll('.')).entries.map(({ path }) => path)).toContain(`${dead}/a.txt`);
    await engine.files.remove(dead, { recursive: true });
    expect(readdirSync(root).sort()).toEqual(['b.txt', 'c.txt']);
  });

  it("a user's file that looks like a temporary one appears in every listing, and stays", async () => {
    const theirs = '.cofferdam-1-2-3-0123456789abcdef.tmp';
    const { engine, root } = openWallFixture(kind, { [theirs]: 'mine' });
    utimesSync(join(root, theirs), old, old);
    await engine.files.write('c.txt', 'x');
    expect((await engine.files.list('.')).map(({ name }) => name)).toContain(theirs);
    expect(readFileSync(join(root, theirs), 'utf8')).toBe('mine');
  });
});

const mayUnshare = (() => {
  try {
    execFileSync('unshare', ['--pid', '--fork', '--mount-proc', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Runs in a PID namespace of its own, where this process does not exist. */
function inAnotherContainer(script: string): string {
  const source = fileURLToPath(new URL('../../../../dist/cofferdam.cjs', import.meta.url));
  return execFileSync('unshare', ['--pid', '--fork', '--mount-proc', 'sh', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, PROGRAM: source },
  });
}

describe.runIf(mayUnshare)('a server in another PID namespace', () => {
  it('leaves the files of a server alone that runs in this one', () => {
    const { root } = openWallFixture('strongest', { 'a.txt': 'a' });
    const mine = temporaryName();
    writeFileSync(join(root, mine), 'being written');
    inAnotherContainer(
      `"${process.execPath}" "$PROGRAM" call write_file '{"path":"b.txt","content":"b"}' --no-journal "${root}"`,
    );
    expect(readdirSync(root).sort()).toEqual([mine, 'a.txt', 'b.txt'].sort());
  });
});
