/** Patches of several files change all of them or none, and are undone in one step. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shortContentHash } from '../../../src/engine/files/read/short-content-hash.ts';
import { Engine, EngineFailure } from '../../../src/engine/index.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
let engine: Engine;

const files: Tree = {
  'kept.txt': 'as it was\n',
  'old.ts': 'one\ntwo\nthree\n',
  'src/a.ts': 'const a = 1;\n',
  'src/gone.ts': 'gone\n',
};

const patch = `*** Begin Patch
*** Add File: new/deep/b.ts
+export const b = 2;
*** Update File: src/a.ts
@@
-const a = 1;
+const a = 2;
*** Update File: old.ts
*** Move to: moved.ts
@@
 one
-two
+TWO
 three
*** Delete File: src/gone.ts
*** End Patch
`;

const patched: Tree = {
  'kept.txt': 'as it was\n',
  'moved.ts': 'one\nTWO\nthree\n',
  'new/deep/b.ts': 'export const b = 2;\n',
  'src/a.ts': 'const a = 2;\n',
};

beforeEach(() => {
  temporary = temporaryDirectory();
  root = join(temporary.path, 'root');
  layOut(root, { './': '', ...files });
  chmodSync(join(root, 'old.ts'), 0o755);
  engine = new Engine({ roots: [{ path: root, writable: true }], journal: join(temporary.path, 'state') });
});

afterEach(async () => {
  await engine.close();
  temporary.remove();
});

async function apply(text: string, options: { dryRun?: boolean } = {}) {
  const at = (path: string | undefined) => (path === undefined ? undefined : join(root, path));
  const plans = (await engine.files.planPatch(text)).map((plan) => ({
    ...plan,
    from: at(plan.from),
    to: at(plan.to),
  }));
  return engine.files.patchFiles(plans, options);
}

function onDisk(): Tree {
  return readBack(root);
}

async function expectRefused(text: string, kind: string): Promise<void> {
  const before = onDisk();
  const error = await apply(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect((error as EngineFailure).facts.kind).toBe(kind);
  expect(error).toBeInstanceOf(EngineFailure);
  expect(onDisk()).toEqual(before);
  expect(await engine.history.entries()).toEqual([]);
}

describe('a patch of several files', () => {
  it('adds, updates, moves and deletes', async () => {
    const hashes = await apply(patch);
    expect(onDisk()).toEqual(patched);
    const held = ['new/deep/b.ts', 'src/a.ts', 'moved.ts'].map((path) =>
      shortContentHash(readFileSync(join(root, path))),
    );
    expect(hashes).toEqual([...(await Promise.all(held)), undefined]);
    expect(statSync(join(root, 'moved.ts')).mode & 0o777).toBe(0o755);
  });

  it('is one journal entry, and is undone as one', async () => {
    await apply(patch);
    const entries = await engine.history.entries();
    expect(entries).toHaveLength(1);
    expect(await engine.history.undo(entries[0]!.id)).toMatchObject({ done: true });
    expect(onDisk()).toEqual(files);
  });

  it('changes nothing in a dry run, which fails just as the real call would', async () => {
    await apply(patch, { dryRun: true });
    expect(onDisk()).toEqual(files);
    await expect(apply(patch.replace('-two', '-zwei'), { dryRun: true })).rejects.toThrow('hunk-mismatch');
    const overwrites = '*** Begin Patch\n*** Add File: kept.txt\n+x\n*** End Patch\n';
    await expect(apply(overwrites, { dryRun: true })).rejects.toThrow('exists');
  });

  it('changes nothing if one hunk does not fit', async () => {
    await expectRefused(patch.replace('-two', '-zwei'), 'hunk-mismatch');
  });

  it('changes nothing if it would add over a file', async () => {
    await expectRefused(patch.replace('new/deep/b.ts', 'kept.txt'), 'exists');
  });

  it('changes nothing if it would move over a file', async () => {
    await expectRefused(patch.replace('Move to: moved.ts', 'Move to: kept.txt'), 'exists');
  });

  it('changes nothing if a file to delete does not exist', async () => {
    await expectRefused(patch.replace('src/gone.ts', 'src/never.ts'), 'not-found');
  });

  it('changes nothing if a path leads outside', async () => {
    await expectRefused(patch.replace('new/deep/b.ts', '../outside.ts'), 'outside');
  });

  it('deletes a file by a diff only if the diff names all of its lines', async () => {
    writeFileSync(join(root, 'src/gone.ts'), 'gone\nand more\n');
    const deletes = '--- a/src/gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n';
    await expectRefused(deletes, 'hunk-mismatch');
    writeFileSync(join(root, 'src/gone.ts'), 'gone\n');
    await apply(deletes);
    expect(onDisk()).not.toHaveProperty('src/gone.ts');
  });

  it('makes a new file executable if the patch says so', async () => {
    await apply(
      'diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+echo hi\n',
    );
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o755);
  });
});
