/** Edits never lose each other: in one server, between two servers, and against programs that know of neither. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Wall } from '../../../src/engine/confine/wall.ts';
import { replaceContent } from '../../../src/engine/files/atomic-replace.ts';
import { readSnapshot } from '../../../src/engine/files/read/read.ts';
import type { TextEdit } from '../../../src/engine/index.ts';
import { RawClient } from '../../client.ts';
import { InProcessClient } from '../../in-process.ts';
import { readBack, type Tree, temporaryDirectory } from '../../tree.ts';
import { failureOf, openWallFixture, wallKinds } from '../confine/wall-fixture.ts';

const lines = (count: number, state: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `line ${String(i).padStart(3, '0')} ${state(i)}\n`).join('');

const editOf = (path: string, i: number) => {
  const line = `line ${String(i).padStart(3, '0')}`;
  return { path, edits: [{ oldText: `${line} old`, newText: `${line} new` }] };
};

describe('changes of one file at the same time', () => {
  let directory: { path: string; remove(): void };
  let file: string;
  const clients: (InProcessClient | RawClient)[] = [];
  const start = async () => {
    const client = await InProcessClient.start([directory.path]);
    clients.push(client);
    return client;
  };
  /** Two processes: this one and another. */
  const startTwo = async () => {
    const [here, there] = await Promise.all([start(), RawClient.start([directory.path])]);
    clients.push(there);
    return [here, there] as const;
  };
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory.path, 'shared.txt');
    writeFileSync(
      file,
      lines(64, () => 'old'),
    );
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
    directory.remove();
  });

  it('are all in the file: 64 edits sent at once to one server', async () => {
    const client = await start();
    const replies = await Promise.all(
      Array.from({ length: 64 }, (_, i) => client.call('edit_file', editOf(file, i))),
    );
    expect(replies.filter(({ error }) => error)).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(lines(64, () => 'new'));
  });

  it('are all in the file: 64 edits by different names of the file', async () => {
    mkdirSync(join(directory.path, 'd'));
    symlinkSync('../shared.txt', join(directory.path, 'd/alias.txt'));
    symlinkSync('d', join(directory.path, 'e'));
    const names = ['shared.txt', file, 'd/alias.txt', 'e/alias.txt', 'd/../shared.txt'];
    const client = await start();
    const replies = await Promise.all(
      Array.from({ length: 64 }, (_, i) => client.call('edit_file', editOf(names[i % names.length]!, i))),
    );
    expect(replies.filter(({ error }) => error)).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(lines(64, () => 'new'));
  });

  it('are in the file if they were acknowledged: 32 edits sent to each of two servers', async () => {
    const both = await startTwo();
    const replies = await Promise.all(
      Array.from({ length: 64 }, (_, i) => both[i % 2]!.call('edit_file', editOf(file, i))),
    );
    expect(readFileSync(file, 'utf8')).toBe(lines(64, (i) => (replies[i]!.error ? 'old' : 'new')));
    expect(replies.filter(({ error }) => error)).toEqual([]);
  });

  it('never mix: with writes from two servers, the file always has the whole content of one', async () => {
    const [one, two] = await startTwo();
    const whole = (n: number) => `begin ${n}\n${'x'.repeat(20_000)}\nend ${n}\n`;
    const writes = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? one : two).call('write_file', { path: file, content: whole(n) }),
    );
    const seen: string[] = [];
    const looking = (async () => {
      for (let i = 0; i < 40; i++) seen.push(await one.text('read_file', { path: file }));
    })();
    await Promise.all([...writes, looking]);
    const possible = new Set([lines(64, () => 'old'), ...writes.map((_, n) => whole(n))]);
    expect(seen.filter((text) => !possible.has(text))).toEqual([]);
    expect(possible.has(readFileSync(file, 'utf8'))).toBe(true);
  });
});

const savers: Record<string, (path: string, text: string) => void> = {
  'in place': (path, text) => writeFileSync(path, text),
  'by a rename': (path, text) => {
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  },
  'in place, with the same length and the same time': (path, text) => {
    const { atime, mtime, size } = statSync(path);
    writeFileSync(path, text.padEnd(size).slice(0, size));
    utimesSync(path, atime, mtime);
  },
};

describe('a program that saves during an edit', () => {
  /** Takes long enough for others to save in between, and then changes the last line. */
  const slowEdit: TextEdit = {
    kind: 'regex',
    pattern: '^(?:(?:a+)+b|last.*)$',
    flags: 'm',
    replace: 'edited',
    style: 'sed',
    limit: 1,
    mustMatch: true,
  };
  const slow = 'a'.repeat(22);
  /** All saves differ: a file that is again as it was read may be edited. */
  const savedAs = (count: number) => `${slow}\nlast${String(count).padStart(6, '0')}`;

  it.each(Object.entries(savers))('keeps its save, and the edit fails clearly: %s', async (_, save) => {
    const { engine, root } = openWallFixture('strongest', { 'a.txt': savedAs(0) });
    const path = join(root, 'a.txt');
    let ended = false;
    const edit = failureOf(engine.files.edit('a.txt', [slowEdit])).finally(() => {
      ended = true;
    });
    let saves = 0;
    while (!ended) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (!ended) save(path, savedAs(++saves));
    }
    expect(await edit).toEqual({ kind: 'changed-meanwhile', path: 'a.txt' });
    expect(readFileSync(path, 'utf8')).toBe(savedAs(saves));
    expect(readdirSync(root)).toEqual(['a.txt']);
  });
});

describe.each(wallKinds)('between the reading and the renaming of an edit, with the %s wall', (kind) => {
  const strikes: Record<string, [strike: (path: string, outside: string) => void, after: Tree]> = {
    ...Object.fromEntries(
      Object.entries(savers).map(([how, save]) => [
        `somebody saves ${how}`,
        [(path: string) => save(path, 'saved'), { 'a.txt': 'saved' }] as [(path: string) => void, Tree],
      ]),
    ),
    'somebody deletes the file': [(path) => rmSync(path), {}],
    'somebody puts a directory in its place': [
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
      { 'a.txt/': '' },
    ],
    'somebody puts a link to outside in its place': [
      (path, outside) => {
        rmSync(path);
        symlinkSync(join(outside, 'secret.txt'), path);
      },
      { 'a.txt': { link: '{OUT}/secret.txt' } },
    ],
    'somebody adds a byte': [(path) => appendFileSync(path, '!'), { 'a.txt': 'begun!' }],
  };
  it.each(Object.entries(strikes))(
    'nothing is written if %s, and the edit fails',
    async (_, [strike, after]) => {
      const fixture = openWallFixture(kind, { 'a.txt': 'begun' });
      const wall = new Wall([{ path: fixture.root, writable: true }], { protection: kind });
      try {
        const edit = wall.at('a.txt', {}, async (place) => {
          const snapshot = await readSnapshot(place);
          strike(join(fixture.root, 'a.txt'), fixture.outside);
          await replaceContent(place, Buffer.from('edited'), { expect: snapshot });
        });
        const facts = await failureOf(edit);
        expect(['changed-meanwhile', 'not-a-file', 'unstable']).toContain(facts.kind);
      } finally {
        wall.close();
      }
      const left = JSON.parse(JSON.stringify(readBack(fixture.root)).replaceAll(fixture.outside, '{OUT}'));
      expect(left).toEqual(after);
      fixture.expectOutsideUntouched();
    },
  );

  it("somebody else's file stays if they create it first", async () => {
    const fixture = openWallFixture(kind);
    const wall = new Wall([{ path: fixture.root, writable: true }], { protection: kind });
    try {
      const write = wall.at('a.txt', {}, async (place) => {
        writeFileSync(join(fixture.root, 'a.txt'), 'theirs');
        await replaceContent(place, Buffer.from('ours'), { expect: 'absent' });
      });
      expect(await failureOf(write)).toMatchObject({ kind: 'exists' });
    } finally {
      wall.close();
    }
    expect(readBack(fixture.root)).toEqual({ 'a.txt': 'theirs' });
  });
});
