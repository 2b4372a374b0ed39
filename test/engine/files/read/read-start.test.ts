/** The beginning of a file: as many bytes as requested, in whole characters; more of it is checked for binary data. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EngineFailure, limits } from '../../../../src/engine/index.ts';
import { engineFixture } from '../../../engine-fixture.ts';
import { layOut } from '../../../tree.ts';

const here = engineFixture();

function put(content: string | Buffer): void {
  writeFileSync(join(here.path, 'a'), content);
}

async function failureOf(reading: Promise<unknown>): Promise<unknown> {
  return reading.then(
    () => undefined,
    (error: unknown) => (error instanceof EngineFailure ? error.facts : error),
  );
}

describe('readStart', () => {
  it('returns the requested bytes, and says whether there are more', async () => {
    put('0123456789');
    for (const most of [0, 1, 9, 10, 11, 1_000_000]) {
      const start = await here.engine.files.readStart('a', { most });
      expect(start.text).toBe('0123456789'.slice(0, most));
      expect(start.bytes.toString()).toBe(start.text);
      expect([start.size, start.truncated]).toEqual([10, most < 10]);
    }
  });

  it('never ends its text within a character, wherever the file is cut', async () => {
    const text = 'aé€😀'.repeat(5000);
    const bytes = Buffer.from(text);
    put(bytes);
    for (const most of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 8190, 8191, 8192, 8193, 8194, 20_001]) {
      const start = await here.engine.files.readStart('a', { most });
      expect(start.bytes).toEqual(bytes.subarray(0, most));
      expect(text.startsWith(start.text!)).toBe(true);
      const length = Buffer.byteLength(start.text!);
      expect(length).toBeLessThanOrEqual(most);
      expect(length).toBeGreaterThan(most - 4);
    }
  });

  it('tells text from binary by 8 KiB even if fewer bytes are requested, and by all requested bytes', async () => {
    const textOf = async (content: Buffer, most: number) => {
      put(content);
      return (await here.engine.files.readStart('a', { most })).text;
    };
    expect(await textOf(Buffer.from('abc\0'), 2)).toBeUndefined();
    expect(await textOf(Buffer.from([97, 0xe9]), 1)).toBeUndefined();
    const behind = Buffer.concat([Buffer.alloc(8192, 97), Buffer.from([0])]);
    expect(await textOf(behind, 2)).toBe('aa');
    expect(await textOf(behind, 8192)).toBe('a'.repeat(8192));
    expect(await textOf(behind, 8193)).toBeUndefined();
    expect(await textOf(Buffer.from([0xe9]), 5)).toBeUndefined();
  });

  it('refuses a file above the limit, however few bytes are requested', async () => {
    put('123456');
    expect(await failureOf(here.engine.files.readStart('a', { most: 1, limit: 5 }))).toEqual({
      kind: 'too-large',
      path: 'a',
      size: 6,
      limit: 5,
      action: 'read',
    });
    expect((await here.engine.files.readStart('a', { most: 1, limit: 6 })).text).toBe('1');
  });

  it('respects the limit for whole files if more is requested', async () => {
    put('x');
    truncateSync(join(here.path, 'a'), limits.wholeFileBytes + 10);
    const { bytes, truncated, size } = await here.engine.files.readStart('a', {
      most: Number.MAX_SAFE_INTEGER,
    });
    expect([bytes.length, truncated, size]).toEqual([
      limits.wholeFileBytes,
      true,
      limits.wholeFileBytes + 10,
    ]);
  });

  it('fails for anything that is not a file inside', async () => {
    layOut(here.path, { 'd/': '', pipe: { fifo: true }, out: { link: '/etc/passwd' } });
    const kindOf = async (path: string) =>
      ((await failureOf(here.engine.files.readStart(path, { most: 1 }))) as { kind: string }).kind;
    expect(await kindOf('d')).toBe('not-a-file');
    expect(await kindOf('.')).toBe('not-a-file');
    expect(await kindOf('pipe')).toBe('not-a-file');
    expect(await kindOf('out')).toBe('outside');
    expect(await kindOf('../x')).toBe('outside');
    expect(await kindOf('missing')).toBe('not-found');
  });
});
