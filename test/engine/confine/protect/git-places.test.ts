/** What a search for Git finds before a command, and in which order. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Wall } from '../../../../src/engine/confine/wall.ts';
import { layOut, temporaryDirectory } from '../../../tree.ts';

test('lists the configuration of repositories before files called .git, of which a command may make many', async () => {
  const made = temporaryDirectory();
  const wall = new Wall([{ path: made.path, writable: true }]);
  try {
    const names = Array.from({ length: 10 }, (_, index) => String(index));
    for (const name of names) {
      const git = { HEAD: '', config: '', 'objects/': '', 'refs/': '' };
      layOut(join(made.path, `repository${name}/.git`), git);
      layOut(join(made.path, `pointer${name}`), { '.git': 'gitdir: ../repository0/.git\n' });
    }
    const { fixed } = (await wall.gitPlaces(made.path, {}))!;
    const found = [...fixed].map((path) => (path.endsWith('/config') ? 'configuration' : 'file'));
    expect(found).toEqual([...names.map(() => 'configuration'), ...names.map(() => 'file')]);
  } finally {
    wall.close();
    made.remove();
  }
});
