/** A server is killed between two steps of a change: what it left behind can be undone like any other change. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryName } from '../../../src/engine/confine/content/draft-names.ts';
import { serverId } from '../../../src/engine/confine/content/server-identity.ts';
import { Wall } from '../../../src/engine/confine/wall.ts';
import { Journal } from '../../../src/engine/journal/journal.ts';
import type { JournalRecorder } from '../../../src/engine/journal/record/journal-recorder.ts';
import { openDirectoryState } from '../../../src/state/directory/open.ts';
import { type JournalFixture, openJournalFixture } from './journal-fixture.ts';

const TREE = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'd/x.txt': 'x\n',
  'd/deep/y.txt': 'y\n',
  'empty/': '',
} as const;

let fixture: JournalFixture;
afterEach(() => fixture.close());

type Places = (path: string) => ReturnType<Wall['resolve']>;

/** Begins a change and does not end it, as if the server was killed there. */
async function cutOff(begin: (recorder: JournalRecorder, at: Places) => Promise<void>): Promise<void> {
  fixture = openJournalFixture(TREE);
  const wall = new Wall([{ path: fixture.root, writable: true }]);
  const journal = new Journal(openDirectoryState(fixture.state));
  const held: { close(): void }[] = [];
  await begin(journal.begin({}), (path) => {
    const place = wall.resolve(join(fixture.root, path), { follow: false });
    held.push(place);
    return place;
  });
  for (const place of held) place.close();
  wall.close();
  await journal.close();
}

const at = (path: string) => join(fixture.root, path);

/** The name of a temporary file of a process that is gone. */
const litter = () => temporaryName(`${serverId().split('-')[0]}-999999999-1`);

describe.skipIf(process.platform !== 'linux')('a change that was interrupted', () => {
  const cases: Record<string, (recorder: JournalRecorder, place: Places) => Promise<void>> = {
    'before a file was written': async (recorder, place) => {
      await recorder.creates(place('new.txt'), 'file', { bytes: Buffer.from('new\n') });
      writeFileSync(at(litter()), 'half of i');
    },
    'before a file was overwritten': async (recorder, place) => {
      const it = place('a.txt');
      await recorder.replaces(it, it.lstat()!, undefined, Buffer.from('new\n'));
      await recorder.flushed(it);
      writeFileSync(at(litter()), 'half of i');
    },
    'after a file was overwritten': async (recorder, place) => {
      const it = place('a.txt');
      await recorder.replaces(it, it.lstat()!, undefined, Buffer.from('new\n'));
      await recorder.flushed(it);
      writeFileSync(at('a.txt'), 'new\n');
    },
    'between two files': async (recorder, place) => {
      for (const name of ['a.txt', 'b.txt']) {
        const it = place(name);
        await recorder.replaces(it, it.lstat()!, undefined, Buffer.from('new\n'));
        await recorder.flushed(it);
      }
      linkSync(at('a.txt'), at(litter()));
      writeFileSync(at('b.txt'), 'new\n');
    },
    'with a half-written file in a directory made for it': async (recorder) => {
      for (const path of ['p', 'p/q']) {
        recorder.makesParent(at(path), fixture.root);
        mkdirSync(at(path));
      }
      writeFileSync(at(`p/q/${litter()}`), 'half of i');
    },
    'before a file was set aside': async (recorder, place) => {
      const it = place('a.txt');
      await recorder.removes(it, it.lstat()!);
    },
    'after a tree was set aside': async (recorder, place) => {
      const it = place('d');
      const aside = await recorder.removes(it, it.lstat()!);
      renameSync(at('d'), join(fixture.state, 'aside', aside!.name));
    },
    'in the middle of removing a tree entry by entry': async (recorder, place) => {
      const it = place('d');
      await recorder.cannotSetAside(it, it.lstat()!);
      rmSync(at('d/deep'), { recursive: true });
    },
    'before a move': async (recorder, place) => {
      const it = place('a.txt');
      await recorder.moves(it, place('c.txt'), it.lstat()!, undefined);
    },
    'between the two names of a file': async (recorder, place) => {
      const it = place('a.txt');
      await recorder.moves(it, place('c.txt'), it.lstat()!, undefined);
      linkSync(at('a.txt'), at('c.txt'));
    },
    'between the two names of a directory': async (recorder, place) => {
      const it = place('d');
      await recorder.moves(it, place('e'), it.lstat()!, undefined);
      mkdirSync(at('e'));
    },
    'between a copy and its original': async (recorder, place) => {
      const it = place('a.txt');
      await recorder.moves(it, place('c.txt'), it.lstat()!, undefined);
      writeFileSync(at('c.txt'), 'a\n');
    },
    'before a move over another file': async (recorder, place) => {
      const [from, to] = [place('a.txt'), place('b.txt')];
      await recorder.moves(from, to, from.lstat()!, to.lstat());
    },
    'after a move over another file': async (recorder, place) => {
      const [from, to] = [place('a.txt'), place('b.txt')];
      await recorder.moves(from, to, from.lstat()!, to.lstat());
      renameSync(at('a.txt'), at('b.txt'));
    },
  };

  test.each(Object.entries(cases))('%s is undone without force, and nothing is left', async (_, begin) => {
    await cutOff(begin);
    const [entry] = await fixture.entries();
    expect(entry).toMatchObject({ state: 'pending' });
    await fixture.undo(entry);
    expect(fixture.tree()).toEqual(TREE);
    expect((await fixture.entries()).find(({ id }) => id === entry!.id)).toMatchObject({ state: 'undone' });
  });

  test('before a large file was overwritten is undone, and the file is recognised without its hash', async () => {
    await cutOff(async (recorder, place) => {
      writeFileSync(at('large.bin'), Buffer.alloc(5 * 1024 * 1024, 7));
      const it = place('large.bin');
      await recorder.replaces(it, it.lstat()!, undefined, Buffer.from('small'));
      await recorder.flushed(it);
    });
    await fixture.undo();
    expect(readFileSync(at('large.bin')).equals(Buffer.alloc(5 * 1024 * 1024, 7))).toBe(true);
  });

  test('in the middle of the undo of a deleted tree can be undone', async () => {
    await cutOff(async () => {});
    await fixture.engine.files.remove('d', { recursive: true });
    // An empty directory reserved the name; the tree was not yet moved there.
    mkdirSync(at('d'));
    await fixture.undo();
    expect(fixture.tree()).toEqual(TREE);
  });

  test('in the middle of the undo of a deleted file, which then has two names, can be undone', async () => {
    await cutOff(async () => {});
    await fixture.engine.files.remove('a.txt');
    const [name] = readdirSync(join(fixture.state, 'aside'));
    linkSync(join(fixture.state, 'aside', name!), at('a.txt'));
    await fixture.undo();
    expect(fixture.tree()).toEqual(TREE);
  });

  test('is not confused with a later change by another program', async () => {
    await cutOff(async () => {});
    await fixture.engine.files.move('a.txt', 'b.txt', { overwrite: true });
    writeFileSync(at('a.txt'), 'somebody else\n');
    const outcome = await fixture.engine.history.undo((await fixture.newest()).id);
    expect(outcome).toMatchObject({ done: false, obstacles: [{ forceable: true }] });
    expect(readFileSync(at('b.txt'), 'utf8')).toBe('a\n');
    expect(existsSync(at('a.txt'))).toBe(true);
    expect(statSync(at('d')).isDirectory()).toBe(true);
  });
});
