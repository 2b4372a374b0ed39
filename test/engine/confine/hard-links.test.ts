/**
 * Hard links: a file with two names may be read, and a change under one name leaves the content under the other alone.
 */
import { existsSync, linkSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/index.ts';
import { openWallFixture, replacing, SECRET, wallKinds } from './wall-fixture.ts';

describe.each(wallKinds)('with the %s wall', (kind) => {
  function siteWithTwoNames() {
    const fixture = openWallFixture(kind, { 'd/': '' });
    const outer = join(fixture.outside, 'secret.txt');
    const inner = join(fixture.root, 'd/alias.txt');
    linkSync(outer, inner);
    return { ...fixture, outer, inner };
  }

  it('a file whose other name is outside can be read, and reports that it has two names', async () => {
    const { engine } = siteWithTwoNames();
    expect((await engine.files.read('d/alias.txt')).text).toBe(SECRET);
    expect((await engine.files.info('d/alias.txt')).links).toBe(2);
  });

  const changes: Record<string, (engine: Engine, path: string) => Promise<unknown>> = {
    'a write': (engine, path) => engine.files.write(path, 'new'),
    'an edit': (engine, path) => engine.files.edit(path, [replacing('secret', 'new')]),
    'an append': (engine, path) => engine.files.append(path, 'new'),
  };
  it.each(Object.entries(changes))(
    '%s leaves the content under the other name as it was',
    async (_, change) => {
      const { engine, outer, inner } = siteWithTwoNames();
      const before = statSync(outer);
      await change(engine, 'd/alias.txt');
      expect(readFileSync(inner, 'utf8')).toContain('new');
      expect(readFileSync(outer, 'utf8')).toBe(SECRET);
      const after = statSync(outer);
      expect([after.ino, after.mode, after.uid, after.mtimeMs]).toEqual([
        before.ino,
        before.mode,
        before.uid,
        before.mtimeMs,
      ]);
      expect(after.nlink).toBe(1);
    },
  );

  it('deleting and moving affect one name and leave the other', async () => {
    const { engine, outer, inner } = siteWithTwoNames();
    await engine.files.move('d/alias.txt', 'moved.txt');
    expect(statSync(outer).nlink).toBe(2);
    await engine.files.remove('moved.txt');
    expect(existsSync(inner)).toBe(false);
    expect(readFileSync(outer, 'utf8')).toBe(SECRET);
  });

  it('an edit under one of two names inside does not change the other', async () => {
    const { engine, root } = openWallFixture(kind, { 'a.txt': 'one' });
    linkSync(join(root, 'a.txt'), join(root, 'b.txt'));
    await engine.files.edit('a.txt', [replacing('one', 'two')]);
    expect((await engine.files.read('a.txt')).text).toBe('two');
    expect((await engine.files.read('b.txt')).text).toBe('one');
  });
});
