import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { patchFailure, patchTree, type Tree } from './patched-tree.ts';

const scenarios = join(import.meta.dirname, '../../../scenarios/apply-patch');
const folders = readdirSync(scenarios, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

function treeIn(folder: string): Tree {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

describe('the scenarios of patches of several files', () => {
  it('are many', () => {
    expect(folders.length).toBeGreaterThanOrEqual(40);
  });

  it.each(folders)('give the expected result: %s', (folder) => {
    const path = join(scenarios, folder);
    const input = treeIn(join(path, 'input'));
    const patch = readFileSync(join(path, 'patch'), 'utf8');
    const error = join(path, 'expected-error.json');
    if (existsSync(error))
      expect(patchFailure(input, patch)).toMatchObject(JSON.parse(readFileSync(error, 'utf8')));
    else expect(patchTree(input, patch).files).toEqual(treeIn(join(path, 'expected')));
  });
});
