/** FIFOs, sockets and devices are never opened, whatever is asked of them; links in /proc lead nowhere new. */
import { execFileSync, spawnSync } from 'node:child_process';
import { constants, existsSync, lstatSync, openSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../../src/engine/index.ts';
import { expectAllToFail, failureOf, looks, openWallFixture, replacing, wallKinds } from './wall-fixture.ts';

const mayMakeDevices = (() => {
  if (process.getuid?.() !== 0) return false;
  const path = join(process.env.TMPDIR ?? '/tmp', `cofferdam-device-${process.pid}`);
  const { status } = spawnSync('mknod', [path, 'c', '1', '5']);
  if (existsSync(path)) unlinkSync(path);
  return status === 0;
})();

describe.each(wallKinds)('with the %s wall', (kind) => {
  it('five FIFOs at once are refused at once, and other files are served meanwhile', async () => {
    const fifos = ['f1', 'f2', 'f3', 'f4', 'f5'];
    const { engine, root } = openWallFixture(kind, {
      'a.txt': 'a',
      ...Object.fromEntries(fifos.map((name) => [name, { fifo: true as const }])),
    });
    const refused = Promise.all(
      fifos.flatMap((path) => [
        failureOf(engine.files.read(path)),
        failureOf(engine.files.write(path, 'x')),
        failureOf(engine.files.edit(path, [replacing('a', 'b')])),
        failureOf(engine.files.append(path, 'x')),
      ]),
    );
    expect((await engine.files.read('a.txt')).text).toBe('a');
    const facts = await refused;
    expect(facts.map(({ kind }) => kind)).toEqual(facts.map(() => 'not-a-file'));
    expect(facts[0]).toEqual({ kind: 'not-a-file', path: 'f1', found: 'special' });
    for (const path of fifos) {
      expect(lstatSync(join(root, path)).isFIFO()).toBe(true);
      // A FIFO that another process holds open for reading could be opened for writing.
      const nobodyReads = () => openSync(join(root, path), constants.O_WRONLY | constants.O_NONBLOCK);
      expect(nobodyReads).toThrow(/ENXIO/);
    }
  });

  it('a FIFO appears in listings, can be moved and deleted, and is not a directory', async () => {
    const { engine, root } = openWallFixture(kind, { 'd/pipe': { fifo: true } });
    expect(await engine.files.list('d')).toEqual([{ name: 'pipe', type: 'special', target: 'special' }]);
    expect((await engine.files.info('d/pipe')).type).toBe('special');
    expect(await failureOf(engine.files.read('d/pipe/x'))).toMatchObject({ kind: 'not-a-directory' });
    expect(await failureOf(engine.files.list('d/pipe'))).toMatchObject({ kind: 'not-a-directory' });
    await engine.files.move('d/pipe', 'pipe');
    expect(lstatSync(join(root, 'pipe')).isFIFO()).toBe(true);
    await engine.files.remove('pipe');
    expect(await engine.files.list('.')).toEqual([{ name: 'd', type: 'directory', target: 'directory' }]);
  });

  it('a FIFO behind a link is not opened either', async () => {
    const { engine } = openWallFixture(kind, {
      pipe: { fifo: true },
      l: { link: 'pipe' },
      'd/up': { link: '../l' },
    });
    for (const path of ['l', 'd/up']) {
      expect(await failureOf(engine.files.read(path))).toEqual({
        kind: 'not-a-file',
        path,
        found: 'special',
      });
      expect(await failureOf(engine.files.write(path, 'x'))).toMatchObject({ kind: 'not-a-file' });
    }
  });

  it('a socket is refused, and nobody connects to it', async () => {
    const { engine, root } = openWallFixture(kind);
    let connections = 0;
    const server = createServer(() => connections++);
    await new Promise<void>((resolve) => server.listen(join(root, 's'), resolve));
    expect(await failureOf(engine.files.read('s'))).toEqual({
      kind: 'not-a-file',
      path: 's',
      found: 'special',
    });
    expect(await failureOf(engine.files.write('s', 'x'))).toMatchObject({ kind: 'not-a-file' });
    await new Promise((resolve) => server.close(resolve));
    expect(connections).toBe(0);
  });

  it.skipIf(!mayMakeDevices)('a device inside is refused, however endless it is', async () => {
    const { engine, root } = openWallFixture(kind);
    execFileSync('mknod', [join(root, 'zero'), 'c', '1', '5']);
    expect(await failureOf(engine.files.read('zero'))).toMatchObject({
      kind: 'not-a-file',
      found: 'special',
    });
    expect(await failureOf(engine.files.write('zero', 'x'))).toMatchObject({ kind: 'not-a-file' });
    expect(lstatSync(join(root, 'zero')).isCharacterDevice()).toBe(true);
  });

  it('a device behind a link is outside', async () => {
    const fixture = openWallFixture(kind, { null: { link: '/dev/null' }, stdin: { link: '/dev/stdin' } });
    for (const path of ['null', 'stdin']) {
      expect(await failureOf(fixture.engine.files.read(path))).toEqual({ kind: 'outside', path });
      expect(await failureOf(fixture.engine.files.write(path, 'x'))).toEqual({ kind: 'outside', path });
    }
  });

  it.skipIf(process.platform !== 'linux')(
    'links in /proc are read as text and never followed by the system',
    async () => {
      const fixture = openWallFixture(kind, {
        root: { link: '/proc/self/root' },
        cwd: { link: '/proc/self/cwd' },
        thread: { link: '/proc/thread-self/root' },
        exe: { link: '/proc/self/exe' },
      });
      const held = openSync(fixture.outside, 'r');
      for (const name of [`fd`, `fd/${held}`])
        symlinkSync(`/proc/self/${name}`, join(fixture.root, name.replace('/', '-')));
      await expectAllToFail(fixture, 'root/etc/passwd', 'outside');
      await expectAllToFail(fixture, 'cwd/package.json', 'outside');
      await expectAllToFail(fixture, 'thread/etc/passwd', 'outside');
      await expectAllToFail(fixture, `fd/${held}/secret.txt`, 'outside');
      await expectAllToFail(fixture, `fd-${held}/secret.txt`, 'outside');
      for (const look of Object.values(looks)) {
        expect(await failureOf(look(fixture.engine, 'exe'))).toEqual({ kind: 'outside', path: 'exe' });
      }
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'even with /proc itself as the root, its links lead nowhere',
    async () => {
      const engine = new Engine({ roots: [{ path: '/proc/self', writable: false }], protection: kind });
      try {
        expect((await engine.files.read('status')).text).toContain(`Pid:\t${process.pid}`);
        for (const path of [
          'root/etc/passwd',
          'cwd/package.json',
          'exe',
          'root',
          'task/../root/etc/passwd',
        ]) {
          expect(await failureOf(engine.files.read(path)), path).toEqual({ kind: 'outside', path });
        }
        const held = openSync('/etc', 'r');
        expect(await failureOf(engine.files.read(`fd/${held}/passwd`))).toMatchObject({ kind: 'outside' });
      } finally {
        await engine.close();
      }
    },
  );

  it('a file that reports no size is read whole', async () => {
    const engine = new Engine({ roots: [{ path: '/proc/self', writable: false }], protection: kind });
    try {
      const { text } = await engine.files.read('cmdline');
      const { bytes } = await engine.files.read('maps');
      expect(text ?? '').not.toContain('undefined');
      expect(bytes.length).toBeGreaterThan(4096);
      expect(readFileSync('/proc/self/maps').length).toBeGreaterThan(4096);
    } finally {
      await engine.close();
    }
  });
});
