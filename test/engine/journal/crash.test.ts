/** Kills a server in the middle of its work, again and again: the journal can still restore the first tree. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Engine, History } from '../../../src/engine/index.ts';
import { RawClient } from '../../client.ts';
import { InProcessClient } from '../../in-process.ts';
import { soak } from '../../soak.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

const KILLS = soak(8, 20);
const LONGEST_WAIT_MS = 40;

const TREE = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'together/one.txt': 'one\n',
  'together/two.txt': 'two\n',
  'together/three.txt': 'three\n',
  'd/x.txt': 'x\n',
  'd/deep/y.txt': 'y\n',
  'd/deep/er/z.txt': 'z\n',
  'd/link': { link: 'deep/y.txt' },
  'large.bin': { repeat: 'a large file, set aside by a link\n', times: 200_000 },
} as const;

const NAMES = [
  'a.txt',
  'b.txt',
  'c/d/e.txt',
  'd',
  'd/x.txt',
  'd/deep',
  'd/deep/er',
  'f',
  'f/g',
  'h.txt',
  'large.bin',
];

/** Numbers that look random, and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test(`after ${KILLS} kills every change can be undone, and nothing is left behind`, async () => {
  const root = temporaryDirectory();
  const state = temporaryDirectory();
  try {
    layOut(root.path, TREE);
    const first = readBack(root.path);
    const next = numbers(7);
    const at = (path: string) => join(root.path, path);
    const name = () => at(NAMES[next(NAMES.length)]!);
    const together = ['one', 'two', 'three'].map((each) => at(`together/${each}.txt`));
    const insert = (n: number) => [{ oldText: '\n', newText: ` ${n}\n`, expectedReplacements: 1 }];
    const changes: ((n: number) => [string, object])[] = [
      (n) => ['write_file', { path: name(), content: `content ${n}\n` }],
      (n) => ['edit_file', { path: name(), edits: insert(n) }],
      (n) => ['edit_files', { paths: together, edits: insert(n) }],
      () => ['move_file', { source: name(), destination: name() }],
      () => ['delete_file', { path: name() }],
      () => ['create_directory', { path: name() }],
    ];
    for (let kill = 0; kill < KILLS; kill++) {
      const client = await RawClient.start(['--state', state.path, root.path]);
      const calls = Array.from({ length: 30 }, (_, n) => {
        return client.call(...changes[next(changes.length)]!(kill * 100 + n));
      });
      for (const call of calls) call.catch(() => {});
      await Promise.race(calls);
      await new Promise((resolve) => setTimeout(resolve, next(LONGEST_WAIT_MS)));
      client.child.kill('SIGKILL');
      await client.exited;
    }

    const engine = new Engine({ roots: [{ path: root.path, writable: true }], journal: state.path });
    const entries = await engine.history.entries();
    expect(entries.length).toBeGreaterThan(KILLS);
    // Some kills hit a server in the middle of a change.
    expect(entries.filter(({ state: how }) => how === 'pending').length).toBeGreaterThan(0);
    for (const { id, changes: made, state: how } of entries) {
      const outcome = await engine.history.undo(id);
      if (!outcome?.done) throw new Error(`${id} (${how}): ${JSON.stringify({ outcome, made })}`);
    }
    await engine.close();
    expect(withoutLitter(readBack(root.path))).toEqual(first);
    expect((await new History(state.path).entries()).filter(({ state: how }) => how === 'pending')).toEqual(
      [],
    );

    // Temporary files of changes that were killed before they had an entry go at the next write to their directory.
    const last = await InProcessClient.start(['--state', state.path, root.path]);
    for (const directory of ['.', 'together', 'd', 'd/deep', 'd/deep/er']) {
      const path = at(`${directory}/last.txt`);
      await last.text('write_file', { path, content: '' });
      await last.text('delete_file', { path });
    }
    await last.end();
    expect(readBack(root.path)).toEqual(first);
    expect(readdirSync(root.path).sort()).toEqual(['a.txt', 'b.txt', 'd', 'large.bin', 'together']);
  } finally {
    root.remove();
    state.remove();
  }
});

function withoutLitter<T>(tree: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.includes('.cofferdam-')));
}
