/**
 * Raids: one operation, called again and again while an attacker swaps what the path leads through.
 *
 * The scene is a root with a directory `d` and a file `leaf.txt`, which are swapped for links to a directory outside
 * that has the same names. An escape is content from outside in an answer, or any change outside.
 */
import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, EngineFailure } from '../../src/engine/index.ts';
import { fingerprint, replacing } from '../engine/confine/wall-fixture.ts';
import { startAttacker } from './attacker.ts';

const STOLEN = 'stolen goods';
const LANES = 4;

export interface Scene {
  base: string;
  root: string;
  outside: string;
  /** The honest directory by its descriptor, whatever its name means at the moment. */
  honest: string;
  close(): void;
}

export interface Raid {
  name: string;
  prepare?(scene: Scene, n: number): void;
  call(engine: Engine, n: number, scene: Scene): Promise<unknown>;
  /** Each success must leave one entry inside whose name starts with this. */
  leaves?: string;
}

interface Spoils {
  operation: string;
  calls: number;
  succeeded: number;
  refused: number;
  escapes: number;
  swaps: number;
}

/** Half of the calls go through the swapped directory, half to the swapped file. */
function either(n: number): string {
  return n % 2 === 0 ? 'd/file.txt' : 'leaf.txt';
}

export const raids: readonly Raid[] = [
  { name: 'read', call: async (engine, n) => (await engine.files.read(either(n))).text },
  { name: 'list', call: (engine, n) => engine.files.list(n % 2 === 0 ? 'd' : 'd/sub') },
  { name: 'tree', call: (engine, n) => engine.files.tree(n % 2 === 0 ? '.' : 'd/../d') },
  { name: 'write new', leaves: 'new-', call: (engine, n) => engine.files.write(`d/new-${n}.txt`, 'new') },
  {
    name: 'overwrite',
    prepare: renewLeaf,
    call: (engine, n) => engine.files.write(either(n), `honest ${n}`),
  },
  {
    name: 'edit',
    prepare: renewLeaf,
    call: (engine, n) => engine.files.edit(either(n), [replacing('honest', 'honest!')]),
  },
  {
    name: 'move',
    prepare: ({ honest, root }, n) =>
      writeFileSync(n % 2 === 0 ? `${root}/calm/from-${n}` : `${honest}/prey`, 'moved'),
    call: (engine, n) =>
      n % 2 === 0
        ? engine.files.move(`calm/from-${n}`, `d/moved-${n}`)
        : engine.files.move('d/prey', `calm/caught-${n}`),
  },
  { name: 'mkdir', leaves: 'dir-', call: (engine, n) => engine.files.makeDirectory(`d/dir-${n}/deeper`) },
  {
    name: 'delete',
    prepare: ({ honest }) => writeFileSync(`${honest}/prey`, 'honest'),
    call: (engine) => engine.files.remove('d/prey'),
  },
  {
    name: 'recursive delete',
    prepare: layPrey,
    call: (engine, n) => engine.files.remove(n % 2 === 0 ? 'd/sub' : 'victim', { recursive: true }),
  },
];

/** A write may have replaced the evil link with an honest file, so the attack needs a new link. */
function renewLeaf({ root }: Scene): void {
  if ([`${root}/leaf.txt`, `${root}/leaf.evil`].some(isLink)) return;
  rmSync(`${root}/leaf.new`, { force: true });
  symlinkSync('../outside/leaf.txt', `${root}/leaf.new`);
  renameSync(`${root}/leaf.new`, `${root}/leaf.evil`);
}

/** A tree to delete, whose inner directory is swapped during the deletion. */
function layPrey({ honest, root, outside }: Scene, n: number): void {
  if (n % 2 === 0) {
    mkdirSync(`${honest}/sub/inner`, { recursive: true });
    writeFileSync(`${honest}/sub/inner/prey`, 'honest');
    return;
  }
  // Made where nobody swaps anything, so that it is not we who write outside.
  mkdirSync(`${root}/calm/tree-${n}/inner/more`, { recursive: true });
  for (let i = 0; i < 8; i++) writeFileSync(`${root}/calm/tree-${n}/inner/more/prey-${i}`, 'honest');
  try {
    renameSync(`${root}/calm/tree-${n}`, `${root}/victim`);
  } catch {
    // The last tree is still there, because its deletion was refused.
  }
  if ([`${root}/victim/inner`, `${root}/victim.evil`].some(isLink)) return;
  try {
    renameSync(`${root}/victim.evil`, `${root}/calm/left-${n}`);
  } catch {
    // This is the first time, or the link was removed with the tree.
  }
  symlinkSync(outside, `${root}/victim.evil`);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

export function layScene(): Scene {
  // In memory, a flush costs nothing, so there are many more calls to race against.
  const below = readdirSync('/dev').includes('shm') ? '/dev/shm' : tmpdir();
  const base = realpathSync(mkdtempSync(join(below, 'cofferdam-raid-')));
  const root = join(base, 'root');
  const outside = join(base, 'outside');
  for (const directory of [
    'root/d/sub',
    'root/calm',
    'outside/sub/inner',
    'outside/inner/more',
    'outside/more',
  ]) {
    mkdirSync(join(base, directory), { recursive: true });
  }
  const names = ['file.txt', 'leaf.txt', 'prey', 'sub/inner/prey', 'only-outside.txt', 'more/prey-0'];
  for (const name of names) writeFileSync(join(outside, name), STOLEN);
  writeFileSync(join(outside, 'sub/only-outside.txt'), STOLEN);
  writeFileSync(join(root, 'd/file.txt'), 'honest');
  writeFileSync(join(root, 'leaf.txt'), 'honest');
  symlinkSync(outside, join(root, 'd.evil'));
  symlinkSync('../outside/leaf.txt', join(root, 'leaf.evil'));
  const fd = openSync(join(root, 'd'), 'r');
  return {
    base,
    root,
    outside,
    honest: `/proc/self/fd/${fd}`,
    close() {
      closeSync(fd);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/**
 * Calls the operation for this long, in several lanes, and counts the outcomes. On a busy machine the first success may
 * take longer.
 */
export async function raid(scene: Scene, engine: Engine, { name, prepare, call, leaves }: Raid, ms: number) {
  const before = fingerprint(scene.outside);
  const above = readdirSync(scene.base).join();
  const attacker = await startAttacker([
    [join(scene.root, 'd'), join(scene.root, 'd.evil')],
    [join(scene.root, 'leaf.txt'), join(scene.root, 'leaf.evil')],
    [join(scene.root, 'victim/inner'), join(scene.root, 'victim.evil')],
  ]);
  const spoils: Spoils = { operation: name, calls: 0, succeeded: 0, refused: 0, escapes: 0, swaps: 0 };
  const start = performance.now();
  const goesOn = () => performance.now() - start < (spoils.succeeded === 0 ? 20 * ms : ms);
  const lane = async () => {
    while (goesOn()) {
      const n = spoils.calls++;
      prepare?.(scene, n);
      try {
        const answer = JSON.stringify(await call(engine, n, scene), (_, value) =>
          typeof value === 'bigint' ? String(value) : value,
        );
        spoils.succeeded++;
        if (/stolen|only-outside/.test(answer ?? '')) spoils.escapes++;
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error;
        spoils.refused++;
        if (/stolen|only-outside/.test(JSON.stringify(error.facts))) spoils.escapes++;
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    spoils.swaps = await attacker.stop();
  }
  const after = fingerprint(scene.outside);
  spoils.escapes += after.filter((line) => !before.includes(line)).length;
  spoils.escapes += before.filter((line) => !after.includes(line)).length;
  if (readdirSync(scene.base).join() !== above) spoils.escapes++;
  return { spoils, left: leaves === undefined ? undefined : countBelow(scene.root, leaves) };
}

function countBelow(directory: string, prefix: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter(({ name }) => name.startsWith(prefix)).length;
}
