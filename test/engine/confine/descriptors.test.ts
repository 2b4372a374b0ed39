/** Descriptors: whatever the outcome of a call, it closes what it opened. */
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../../src/engine/index.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';
import { InProcessClient } from '../../in-process.ts';
import { soak } from '../../soak.ts';
import { layOut, temporaryDirectory } from '../../tree.ts';
import { everyOperation } from './wall-fixture.ts';

let directory: { path: string; remove(): void };
beforeAll(() => {
  directory = temporaryDirectory();
  layOut(directory.path, {
    'a.txt': 'some text with a secret',
    'd/e/f/deep.txt': 'deep',
    'd/up': { link: '../a.txt' },
    'chain/': '',
    out: { link: '/etc' },
    dangling: { link: 'nowhere/at/all' },
    loop: { link: 'loop' },
    'binary.bin': { base64: '/////w==' },
    'bad.txt': { base64: 'Yf9i' },
  });
  execFileSync('mkfifo', [join(directory.path, 'pipe')]);
  symlinkSync('../a.txt', join(directory.path, 'chain/l1'));
  for (let i = 2; i <= 45; i++) symlinkSync(`l${i - 1}`, join(directory.path, `chain/l${i}`));
});
afterAll(() => directory.remove());

const paths = [
  'a.txt',
  'd',
  'd/e/f/deep.txt',
  'd/up',
  'missing',
  'missing/deeper/file',
  'a.txt/below',
  'out/passwd',
  '../outside',
  '/etc/passwd',
  'd/../../x',
  'dangling',
  'loop',
  'chain/l30',
  'chain/l45',
  'pipe',
  'bad.txt',
  '',
  'nul\0',
  'x'.repeat(300),
  `new/${'x'.repeat(300)}`,
  '.',
  'd/e/..',
];

describe.runIf(process.platform === 'linux')('the number of open descriptors', () => {
  it.each(['strongest', 'verified'] as const)(
    'is the same after every operation on every kind of path, with the %s wall',
    async (protection) => {
      const engine = new Engine({ roots: [{ path: directory.path, writable: true }], protection });
      const round = async () => {
        for (const [name, operation] of Object.entries(everyOperation)) {
          if (name === 'recursive delete' || name === 'moving away' || name === 'delete') continue;
          for (const path of paths) await operation(engine, path).catch(() => {});
        }
      };
      await round();
      const before = heldBelow(directory.path);
      await round();
      await expectNoMoreHeld(before, directory.path);
      await engine.close();
      await expectNoMoreHeld([], directory.path);
    },
  );

  it('is the same after an engine could not open the last of its directories', async () => {
    const before = heldBelow(directory.path);
    const roots = ['d', 'missing'].map((name) => ({ path: join(directory.path, name), writable: true }));
    expect(() => new Engine({ roots })).toThrow('missing');
    await expectNoMoreHeld(before, directory.path);
  });

  it('is the same before and after hundreds of mixed calls to a server, each made several times', async () => {
    const state = temporaryDirectory();
    const client = await InProcessClient.start(['--state', state.path, directory.path]);
    const kinds: ((n: number) => [string, unknown])[] = [
      ...paths.map((path) => (): [string, unknown] => ['read_file', { path }]),
      ...paths.map((path) => (): [string, unknown] => ['list_directory', { path }]),
      ...paths.map((path) => (): [string, unknown] => ['get_file_info', { path }]),
      () => ['read_multiple_files', { paths: paths.filter((path) => path !== '') }],
      () => ['directory_tree', { path: 'd' }],
      () => ['nonsense', {}],
      () => ['read_file', { path: 5 }],
      (n) => ['write_file', { path: `w/${n % 7}.txt`, content: 'x' }],
      (n) => ['edit_file', { path: `w/${n % 7}.txt`, edits: [{ oldText: 'x', newText: 'y' }] }],
      () => ['edit_file', { path: 'a.txt', edits: [{ oldText: 'no such text', newText: 'y' }] }],
      () => ['edit_file', { path: 'a.txt', edits: [{ oldText: 'some', newText: 'y' }], dryRun: true }],
      () => ['edit_file', { path: 'bad.txt', edits: [{ oldText: 'a', newText: 'y' }] }],
      () => ['edit_file', { path: 'a.txt', edits: [{ oldText: '(', newText: 'y', isRegex: true }] }],
      () => ['write_file', { path: 'a.txt/below', content: 'x' }],
      () => ['write_file', { path: 'out/new', content: 'x' }],
      () => ['write_file', { path: `parents/of/${'x'.repeat(300)}`, content: 'x' }],
      (n) => ['create_directory', { path: `made/${n % 5}` }],
      () => ['move_file', { source: 'missing', destination: 'new/place' }],
      () => ['move_file', { source: 'a.txt', destination: 'd' }],
      () => ['delete_file', { path: 'missing' }],
      () => ['delete_file', { path: '.' }],
      () => ['delete_file', { path: 'made' }],
    ];
    const calls = async (count: number) => {
      const outcomes = { answered: 0, refused: 0 };
      for (let n = 0; n < count; ) {
        const batch = Array.from({ length: Math.min(200, count - n) }, () => {
          const [tool, args] = kinds[n % kinds.length]!(n++);
          return client.call(tool, args);
        });
        for (const { error } of await Promise.all(batch)) outcomes[error ? 'refused' : 'answered']++;
      }
      return outcomes;
    };
    await calls(2 * kinds.length);
    const watched = [directory.path, state.path];
    const before = heldBelow(watched);
    expect(before).toContain(directory.path);
    const { answered, refused } = await calls(soak(8 * kinds.length, 10_000));
    await client.call('read_file', { path: 'a.txt' });
    await expectNoMoreHeld(before, watched);
    expect(answered).toBeGreaterThan(soak(140, 2000));
    expect(refused).toBeGreaterThan(soak(140, 2000));
    await client.end();
    state.remove();
  });
});
