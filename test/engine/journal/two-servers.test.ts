/** Two servers use one state directory and one root at once: every entry is complete and can be undone. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { History } from '../../../src/engine/index.ts';
import { RawClient } from '../../client.ts';
import { InProcessClient } from '../../in-process.ts';
import { soak } from '../../soak.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

const ROUNDS = soak(10, 25);

test('hundreds of changes by two servers are all recorded, and all can be undone', async () => {
  const root = temporaryDirectory();
  const state = temporaryDirectory();
  try {
    layOut(root.path, {
      'shared.txt': 'start\n',
      'd0/one.txt': '1\n',
      'd0/two.txt': '2\n',
      'd1/one.txt': '1\n',
      'd1/two.txt': '2\n',
    });
    const before = readBack(root.path);
    const at = (path: string) => join(root.path, path);
    const args = ['--state', state.path, '--dialect', 'replay,patch', root.path];
    // One server runs in the process of the test, and the other in another process.
    const [here, there] = await Promise.all([InProcessClient.start(args), RawClient.start(args)]);
    const results = await Promise.all(
      [here, there].flatMap((client, who) =>
        Array.from({ length: ROUNDS }, (_, n) => [
          client.call('append', { path: at('shared.txt'), content: `${who}-${n}\n` }),
          client.call('write_file', { path: at(`own${who}/${n % 5}.txt`), content: `${who} ${n}\n` }),
          client.call('edit_files', {
            paths: [at(`d${who}/one.txt`), at(`d${who}/two.txt`)],
            edits: [{ oldText: '\n', newText: `${who}\n`, expectedReplacements: 1 }],
          }),
          client.call('move_file', {
            source: at(`own${who}/${n % 5}.txt`),
            destination: at(`moved${who}/${n}.txt`),
          }),
        ]).flat(),
      ),
    );
    expect(results.filter(({ error }) => error)).toEqual([]);
    expect([await here.end(), await there.end()]).toMatchObject([0, { code: 0 }]);

    const shared = readBack(root.path)['shared.txt'] as string;
    expect(shared.split('\n').filter((line) => line !== '')).toHaveLength(1 + 2 * ROUNDS);

    const history = new History(state.path);
    const entries = await history.entries();
    expect(entries.every(({ state: how }) => how === 'done')).toBe(true);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    expect(
      entries.filter(({ changes }) => changes.some(({ path }) => path === at('shared.txt'))),
    ).toHaveLength(2 * ROUNDS);
    for (const entry of entries) {
      expect(await history.undo(entry.id)).toMatchObject({ done: true });
    }
    expect(readBack(root.path)).toEqual(before);
    expect(readdirSync(root.path).sort()).toEqual(['d0', 'd1', 'shared.txt']);
  } finally {
    root.remove();
    state.remove();
  }
});
