/** Undo and redo under attack: while another process swaps directories for links, they touch only what was changed. */
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Engine, EngineFailure, History, type JournalEntry } from '../../../src/engine/index.ts';
import { type Attacker, startAttacker } from '../../attackers/attacker.ts';
import { report, seconds } from '../../attackers/campaign.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';
import { fingerprint } from '../confine/wall-fixture.ts';

const MS = seconds * 200;

/** The same names inside and outside, so that code that follows a link finds something. */
const SAME: Tree = {
  'a.txt': 'new\n',
  'm.txt': 'theirs\n',
  'n.txt': 'n\n',
  'new.txt': 'new\n',
  'x/y/new.txt': 'new\n',
  'sub/deep/s.txt': 'theirs\n',
};
const OURS: Tree = {
  'a.txt': 'old\n',
  'b.txt': 'b\n',
  'm.txt': 'm\n',
  'n.txt': 'replaced\n',
  'sub/deep/s.txt': 's\n',
  'sub/t.txt': 't\n',
};

const below = (directory: string, tree: Tree): Tree =>
  Object.fromEntries(Object.entries(tree).map(([path, what]) => [`${directory}/${path}`, what]));

interface Spoils {
  done: number;
  refused: number;
  swaps: number;
  atomic: boolean;
}

describe.runIf(process.platform === 'linux')('while an attacker swaps', () => {
  let home: { path: string; remove(): void };
  let state: { path: string; remove(): void };
  let root: string;
  let engine: Engine;
  let first: Tree;

  beforeEach(() => {
    // In memory a flush costs nothing, so there are many more calls to race against.
    const under = readdirSync('/dev').includes('shm') ? '/dev/shm' : tmpdir();
    home = temporaryDirectory(under);
    state = temporaryDirectory(under);
    root = join(home.path, 'root');
    mkdirSync(root);
    layOut(root, {
      ...below('d', OURS),
      ...below('p/q', OURS),
      ...below('e', SAME),
      'calm/d.txt': 'over\n',
      'calm/p-q.txt': 'over\n',
    });
    layOut(join(home.path, 'outside'), { ...SAME, ...below('d', SAME), ...below('p/q', SAME) });
    first = readBack(root);
    engine = new Engine({ roots: [{ path: root, writable: true }], journal: state.path });
  });
  afterEach(async () => {
    await engine.close();
    home.remove();
    state.remove();
  });

  /** One change of each kind in each of the swapped directories, none in the way of another. */
  async function change(): Promise<JournalEntry[]> {
    for (const at of ['d', 'p/q']) {
      const apart = at.replace('/', '-');
      await engine.files.write(`${at}/a.txt`, 'new\n');
      await engine.files.remove(`${at}/b.txt`);
      await engine.files.write(`${at}/new.txt`, 'new\n');
      await engine.files.write(`${at}/x/y/new.txt`, 'new\n');
      await engine.files.remove(`${at}/sub`, { recursive: true });
      await engine.files.move(`${at}/m.txt`, `calm/${apart}-m.txt`);
      await engine.files.move(`calm/${apart}.txt`, `${at}/n.txt`, { overwrite: true });
      await engine.files.writeAll([
        { path: `${at}/one.txt`, content: '1\n' },
        { path: `${at}/z/two.txt`, content: '2\n' },
        { path: `calm/${apart}-three.txt`, content: '3\n' },
      ]);
    }
    return await engine.history.entries();
  }

  /** Undoes and redoes entries in any order, for the given time. */
  async function raid(entries: readonly JournalEntry[], attacker: Attacker): Promise<Spoils> {
    const history = new History(state.path);
    const spoils: Spoils = { done: 0, refused: 0, swaps: 0, atomic: attacker.atomic };
    const start = performance.now();
    // On a busy machine it may take longer until each has happened once.
    const goesOn = () =>
      performance.now() - start < (spoils.done === 0 || spoils.refused === 0 ? 60 * MS : MS);
    try {
      for (let n = 0; goesOn(); n++) {
        const { id } = entries[(n * 7) % entries.length]!;
        const all = await engine.history.entries();
        const isUndone = all.find((entry) => entry.id === id)!.state === 'undone';
        const undoing = all.find(({ undoes, state: how }) => undoes === id && how !== 'undone');
        const by = n % 3 === 0 ? history : engine.history;
        const force = attacker.atomic && n % 5 === 0;
        try {
          const outcome = await by.undo(isUndone ? undoing!.id : id, { force });
          if (outcome?.done) spoils.done++;
          else spoils.refused++;
        } catch (error) {
          if (!(error instanceof EngineFailure)) throw error;
          spoils.refused++;
        }
      }
    } finally {
      spoils.swaps = await attacker.stop();
    }
    return spoils;
  }

  /** The entries that are not undone yet, newest first. */
  async function undoAll(entries: readonly JournalEntry[]): Promise<void> {
    for (const { id } of entries) {
      if ((await engine.history.entry(id))!.state === 'undone') continue;
      expect([id, await engine.history.undo(id)]).toEqual([id, expect.objectContaining({ done: true })]);
    }
  }

  function putBack(name: string, evil: string): void {
    const isSwapped = lstatSync(name).isSymbolicLink();
    rmSync(isSwapped ? name : evil);
    if (isSwapped) renameSync(evil, name);
  }

  function expectRaided(name: string, spoils: Spoils): void {
    report({ operation: name, ...spoils, atomic: Number(spoils.atomic) });
    expect(spoils.swaps).toBeGreaterThan(100);
    expect(spoils.done).toBeGreaterThan(0);
    expect(spoils.refused).toBeGreaterThan(0);
  }

  test(
    'directories for links inside and outside, undo and redo touch neither, and all can be undone afterwards',
    async () => {
      const entries = await change();
      symlinkSync('../outside', join(root, 'd.evil'));
      symlinkSync('../e', join(root, 'p/q.evil'));
      const outside = fingerprint(join(home.path, 'outside'));
      const inside = fingerprint(join(root, 'e'));
      const pairs = ['d', 'p/q'].map((name) => [join(root, name), join(root, `${name}.evil`)] as const);
      const spoils = await raid(entries, await startAttacker(pairs));
      expectRaided('undo and redo', spoils);
      expect(fingerprint(join(home.path, 'outside'))).toEqual(outside);
      expect(fingerprint(join(root, 'e'))).toEqual(inside);
      expect(readdirSync(home.path).sort()).toEqual(['outside', 'root']);
      // A directory that is missing for a moment counts as gone, and then there may be nothing left to undo.
      if (!spoils.atomic) return;
      for (const [name, evil] of pairs) putBack(name, evil);
      await undoAll(entries);
      expect(readBack(root)).toEqual(first);
    },
    MS * 4 + 20_000,
  );

  test(
    'the root for a link to the directory above it, undo and redo work on the root or not at all',
    async () => {
      const entries = await change();
      layOut(home.path, { ...below('d', SAME), ...below('p/q', SAME), 'calm/d.txt': 'theirs\n' });
      symlinkSync('.', join(home.path, 'root.evil'));
      const around = () => ['calm', 'd', 'outside', 'p'].map((name) => fingerprint(join(home.path, name)));
      const before = around();
      const attacker = await startAttacker([[root, join(home.path, 'root.evil')]]);
      const spoils = await raid(entries, attacker);
      expectRaided('undo and redo in a swapped root', spoils);
      expect(around()).toEqual(before);
      expect(readdirSync(home.path).sort()).toEqual(['calm', 'd', 'outside', 'p', 'root', 'root.evil']);
      if (!spoils.atomic) return;
      putBack(root, join(home.path, 'root.evil'));
      await undoAll(entries);
      expect(readBack(root)).toEqual(first);
    },
    MS * 4 + 20_000,
  );
});
