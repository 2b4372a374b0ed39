import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Wall } from '../../../../src/engine/confine/wall.ts';
import { EngineFailure } from '../../../../src/engine/failures.ts';
import type { SandboxView } from '../../../../src/engine/run/sandbox/bubblewrap.ts';
import {
  bubblewrapArgs,
  sandboxPlaces,
  systemDirectories,
} from '../../../../src/engine/run/sandbox/bubblewrap.ts';
import { planSandbox } from '../../../../src/engine/run/sandbox/sandbox.ts';
import { makeRunFixture } from '../run-fixture.ts';

const ALL = { bindFd: true, disableUserns: true, size: true, seccomp: true };
const view = (change: Partial<SandboxView>): SandboxView => ({
  roots: [{ path: '/srv/app', identity: '', fd: 20, writable: true }],
  numbers: [3],
  fixed: [],
  masked: [],
  withheld: [],
  empty: '/nonexistent',
  filter: undefined,
  cwd: '/srv/app',
  network: false,
  installations: [],
  etc: '/made',
  temporaryMiB: 64,
  ...change,
});

describe('the arguments for bubblewrap', () => {
  it('name every namespace, no capabilities and no network', () => {
    const args = bubblewrapArgs(view({}), ALL).join(' ');
    for (const name of ['user', 'pid', 'ipc', 'uts', 'cgroup-try', 'net'])
      expect(args).toContain(`--unshare-${name}`);
    expect(args).toContain('--die-with-parent --new-session --cap-drop ALL');
    expect(args).toContain('--disable-userns');
    expect(bubblewrapArgs(view({ network: true }), ALL)).not.toContain('--unshare-net');
  });

  it('bind a root from its held descriptor, or by its path where bubblewrap cannot', () => {
    expect(bubblewrapArgs(view({}), ALL).join(' ')).toContain('--bind-fd 3 /srv/app');
    const old = bubblewrapArgs(view({}), {
      bindFd: false,
      disableUserns: false,
      size: false,
      seccomp: false,
    }).join(' ');
    expect(old).toContain('--bind /srv/app /srv/app');
    expect(old).not.toMatch(/--size|--disable-userns|-fd/);
  });

  it('bind a read-only root read-only', () => {
    const roots = [{ path: '/srv/app', identity: '', fd: 20, writable: false }];
    expect(bubblewrapArgs(view({ roots }), ALL).join(' ')).toContain('--ro-bind-fd 3 /srv/app');
  });

  it('bind a root after the one that it is inside, in any order of the list', () => {
    const roots = [
      { path: '/srv/app/locked', identity: '', fd: 20, writable: false },
      { path: '/srv/app', identity: '', fd: 21, writable: true },
    ];
    const args = bubblewrapArgs(view({ roots, numbers: [3, 4] }), ALL).join(' ');
    expect(args.indexOf('--bind-fd 4 /srv/app ')).toBeLessThan(
      args.indexOf('--ro-bind-fd 3 /srv/app/locked'),
    );
    expect(args).toContain('--bind-fd 4 /srv/app ');
  });

  it('leave out what is beside a root in a directory of the system', () => {
    const directories = systemDirectories(['/usr/src/app', '/usr/local/site']);
    expect(directories).not.toContain('/usr');
    expect(directories).not.toContain('/usr/local');
    expect(directories).not.toContain('/usr/src');
    expect(directories).toContain('/usr/bin');
    expect(directories).toContain('/usr/lib');
  });

  it('mount nothing for which bubblewrap would have to create a mount point in a root', () => {
    const roots = [{ path: '/etc', identity: '', fd: 20, writable: true }];
    const args = bubblewrapArgs(view({ roots, cwd: '/etc' }), ALL);
    expect(args.filter((arg) => arg.startsWith('/etc/'))).toEqual([]);
  });

  it('put the temporary directory where no root is', () => {
    expect(sandboxPlaces(['/tmp/x']).temporary).toBe('/tmp');
    expect(sandboxPlaces(['/tmp']).temporary).toBe('/var/tmp');
    expect(bubblewrapArgs(view({}), ALL).join(' ')).toContain('--size 67108864 --tmpfs /tmp --dir /tmp/home');
  });

  it("show made-up files instead of the system's list of users", () => {
    const args = bubblewrapArgs(view({}), ALL).join(' ');
    expect(args).toContain('--ro-bind-try /made/passwd /etc/passwd');
    expect(args).not.toContain('/etc/passwd /etc/passwd');
    expect(args).not.toContain('/etc/resolv.conf');
    expect(bubblewrapArgs(view({ network: true }), ALL)).toContain('/etc/resolv.conf');
  });
});

describe('the choice of a sandbox', () => {
  const none = { path: undefined, passedOver: undefined };
  const kind = (run: Promise<unknown>) =>
    run.then(
      () => 'no failure',
      (thrown) => (thrown instanceof EngineFailure ? thrown.facts : thrown),
    );

  it('is no sandbox when it is switched off', async () => {
    expect(await planSandbox('off', none, false)).toEqual({ kind: 'none', why: 'switched off' });
  });

  it('is no sandbox, with the reason, when bubblewrap is not installed', async () => {
    expect(await planSandbox('auto', none, false)).toMatchObject({
      kind: 'none',
      why: expect.stringContaining('bubblewrap'),
    });
  });

  it('fails when a sandbox is required and there is none', async () => {
    expect(await kind(planSandbox('require', none, false))).toMatchObject({ kind: 'no-sandbox' });
  });

  it('is a failing sandbox, never none, when bubblewrap is installed but does not work', async () => {
    const broken = { path: '/usr/bin/false', passedOver: undefined };
    expect(await planSandbox('auto', broken, false)).toMatchObject({ kind: 'failing' });
  });
});

describe('a root that was given through a link', () => {
  for (const sandbox of ['off', 'auto'] as const) {
    it(`can be named by the link, with sandbox ${sandbox}`, async () => {
      const place = makeRunFixture();
      symlinkSync(place.root, join(place.base, 'by-link'));
      mkdirSync(join(place.root, 'deep'));
      const wall = new Wall([{ path: join(place.base, 'by-link'), writable: true }]);
      try {
        const commands = await place.open({ wall, sandbox });
        const given = join(place.base, 'by-link', 'b.txt');
        expect((await commands.runReadingCommand('tail', ['-1', given])).stdout).toBe('7 pears\n');
        expect((await commands.runShellLine(`tail -1 ${given}`)).stdout).toBe('7 pears\n');
        expect(
          (await commands.runShellLine('pwd', { cwd: join(place.base, 'by-link', 'deep') })).stdout,
        ).toBe(`${place.root}/deep\n`);
      } finally {
        wall.close();
        place.close();
      }
    });
  }
});

describe('the report on confinement', () => {
  it('says for each measure whether it is active, and why', async () => {
    const place = makeRunFixture();
    try {
      const commands = await place.open({ sandbox: 'off', passEnv: ['PATH'] });
      const report = await commands.confinement();
      const measures = new Map(report.map(({ name, active, why }) => [name, { active, why }]));
      expect(measures.get('bubblewrap')).toEqual({ active: false, why: 'switched off' });
      expect(measures.get('argument rules')?.active).toBe(true);
      expect(measures.get('limits')?.active).toBe(true);
      expect(measures.get('own environment')?.why).toContain('PATH');
      expect(measures.get('nothing survives')?.active).toBe(false);
      for (const { why } of measures.values()) expect(why).not.toBe('');
    } finally {
      place.close();
    }
  });
});
