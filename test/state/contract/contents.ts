/** What every content store guarantees (see src/state/contents.ts). */
import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Contents, DamagedContent } from '../../../src/state/contents.ts';
import { inOtherProcess, type StateFactory, type StateUnderTest } from './factory.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

export function contentsContract(create: StateFactory): void {
  describe('a content store', () => {
    let under: StateUnderTest;
    let opened: Contents[];
    beforeEach(() => {
      under = create();
      opened = [];
    });
    afterEach(async () => {
      for (const contents of opened) contents.close();
      await under.remove();
    });

    const open = () => {
      const { contents } = under.open();
      opened.push(contents);
      return contents;
    };
    const put = async (contents: Contents, bytes: Buffer) => {
      const hash = await contents.put(bytes);
      await contents.stored([hash]);
      return hash;
    };
    const names = async (contents: Contents) => {
      const all: string[] = [];
      for await (const { name } of contents.list()) all.push(name);
      return all.sort();
    };
    const gathered = async (chunks: AsyncIterable<Buffer>) => {
      const parts: Buffer[] = [];
      for await (const part of chunks) parts.push(part);
      return Buffer.concat(parts);
    };
    const never = async () => () => false;

    test.each([
      ['nothing', Buffer.alloc(0)],
      ['a few bytes', Buffer.from('äöü\0\xff', 'latin1')],
      ['a text that can be deflated', Buffer.from('a line of text\n'.repeat(50_000))],
      ['bytes that cannot be deflated', randomBytes(300_000)],
    ])('returns what was put, by its hash: %s', async (_, bytes) => {
      const hash = await put(open(), bytes);
      expect(hash).toBe(sha256(bytes));
      const again = open();
      expect((await again.get(hash))?.equals(bytes)).toBe(true);
      expect((await gathered((await again.chunks(hash))!)).equals(bytes)).toBe(true);
      expect(await again.has(hash)).toBe(true);
      expect(await again.sizeOf(hash)).toBeLessThanOrEqual(bytes.length);
    });

    test('finds nothing that was never put', async () => {
      const contents = open();
      const hash = sha256(Buffer.from('never'));
      expect(await contents.get(hash)).toBeUndefined();
      expect(await contents.chunks(hash)).toBeUndefined();
      expect(await contents.has(hash)).toBe(false);
      expect(await contents.sizeOf(hash)).toBeUndefined();
      expect(await names(contents)).toEqual([]);
    });

    test('stores equal contents once, even if two processes put them at the same time', async () => {
      await Promise.all([1, 2].map(() => inOtherProcess(under.address, 'put', '200')));
      const contents = open();
      await put(contents, Buffer.from('content 7'));
      const expected = Array.from({ length: 200 }, (_, n) => sha256(Buffer.from(`content ${n}`)));
      expect(await names(contents)).toEqual(expected.sort());
    });

    test('accepts a content of any size in pieces, and stores it only once if it is also put whole', async () => {
      const bytes = Buffer.concat([randomBytes(3_000_000), Buffer.alloc(5_000_000)]);
      const contents = open();
      async function* pieces() {
        for (let at = 0; at < bytes.length; at += 700_001) yield bytes.subarray(at, at + 700_001);
      }
      const { hash, size } = await contents.putChunks(pieces());
      expect([hash, size]).toEqual([sha256(bytes), bytes.length]);
      expect(await put(contents, bytes)).toBe(hash);
      expect((await gathered((await open().chunks(hash))!)).equals(bytes)).toBe(true);
      expect(await names(contents)).toEqual([hash]);
    });

    test('counts a content of putLater as pending until it has settled', async () => {
      const contents = open();
      const bytes = Buffer.from('for later');
      contents.putLater(bytes);
      expect(contents.usage.pending).toBe(bytes.length);
      await contents.settled();
      expect(contents.usage.pending).toBe(0);
      expect(await open().has(sha256(bytes))).toBe(true);
    });

    test('counts at least the bytes that all processes have added', async () => {
      const [one, two] = [open(), open()];
      await put(one, randomBytes(10_000));
      expect(two.usage.bytes).toBeGreaterThanOrEqual(10_000);
      await put(two, randomBytes(20_000));
      expect(two.usage.bytes).toBeGreaterThanOrEqual(30_000);
      const hash = await put(one, randomBytes(40_000));
      expect(one.usage.bytes).toBeGreaterThanOrEqual(70_000);
      expect(one.usage.added).toBeGreaterThanOrEqual(50_000);
      await one.erase([hash], never);
      expect(await one.usage.measure()).toBe(30_000);
    });

    test('retires old contents, but none that are recent or needed', async () => {
      const contents = open();
      const [old, needed] = [
        await put(contents, Buffer.from('old')),
        await put(contents, Buffer.from('needed')),
      ];
      await contents.settled();
      await under.age();
      const young = await put(contents, Buffer.from('young'));
      const listed = new Map<string, boolean>();
      for await (const each of contents.list()) listed.set(each.name, each.young);
      expect(Object.fromEntries(listed)).toEqual({ [old]: false, [needed]: false, [young]: true });
      expect(await contents.retire([old, needed], (name) => name === needed)).toBe(3);
      await contents.retire([], (name) => name === needed, Date.now() + 600_000);
      expect(await names(contents)).toEqual([needed, young].sort());
    });

    test('counts a content as recent again when it is put again', async () => {
      const hash = await put(open(), Buffer.from('again'));
      await under.age();
      await put(open(), Buffer.from('again'));
      for await (const { name, young } of open().list()) expect([name, young]).toEqual([hash, true]);
    });

    test('keeps a retired content for a while, and restores it when it is needed after all', async () => {
      const contents = open();
      const hash = await put(contents, Buffer.from('needed after all'));
      await contents.settled();
      await under.age();
      await contents.retire([hash], () => false);
      expect(await contents.has(hash)).toBe(true);
      expect((await contents.get(hash))?.toString()).toBe('needed after all');
      await contents.retire([], (name) => name === hash);
      await contents.retire([], (name) => name === hash, Date.now() + 600_000);
      expect((await open().get(hash))?.toString()).toBe('needed after all');
    });

    test('asks again what is needed when the contents are hidden, before it erases them', async () => {
      const contents = open();
      const [gone, needed] = [
        await put(contents, Buffer.from('gone')),
        await put(contents, Buffer.from('needed')),
      ];
      await contents.settled();
      const seen: boolean[] = [];
      await contents.erase([gone, needed], async () => {
        seen.push(await contents.has(needed));
        return (name) => name === needed;
      });
      expect(seen.at(-1)).toBe(false);
      expect(await names(open())).toEqual([needed]);
      expect((await contents.get(needed))?.toString()).toBe('needed');
    });

    test('lets a writer that checks after appending its record find out that its content was erased', async () => {
      const [writer, eraser] = [open(), open()];
      const bytes = Buffer.from('contested');
      const hash = await put(writer, bytes);
      await writer.settled();
      await eraser.erase([hash], never);
      expect(await writer.has(hash)).toBe(false);
      expect(await put(writer, bytes)).toBe(hash);
      expect(await writer.has(hash)).toBe(true);
    });
  });
}

/** How an implementation reports damage: `damage` changes the stored bytes of a content. */
export function damageContract(
  create: StateFactory,
  damage: (under: StateUnderTest, hash: string) => Promise<void>,
): void {
  test.each([
    ['small', Buffer.from('a small content')],
    ['deflated', Buffer.from('a line of text\n'.repeat(50_000))],
  ])('a damaged content counts as missing: %s', async (_, bytes) => {
    const under = create();
    try {
      const { contents } = under.open();
      const hash = await contents.put(bytes);
      await contents.settled();
      await damage(under, hash);
      expect(await contents.get(hash)).toBeUndefined();
      const reading = async () => {
        for await (const _part of (await contents.chunks(hash))!);
      };
      await expect(reading()).rejects.toThrow(DamagedContent);
      contents.close();
    } finally {
      await under.remove();
    }
  });
}
