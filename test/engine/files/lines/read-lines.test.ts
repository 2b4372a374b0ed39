import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine, EngineFailure, splitLines } from '../../../../src/engine/index.ts';
import { temporaryDirectory } from '../../../tree.ts';

let temporary: ReturnType<typeof temporaryDirectory>;
let engine: Engine;

beforeEach(() => {
  temporary = temporaryDirectory();
  engine = new Engine({ roots: [{ path: temporary.path, writable: false }] });
});

afterEach(async () => {
  await engine.close();
  temporary.remove();
});

async function lines(content: string | Buffer, from: number, to: number): Promise<unknown> {
  writeFileSync(join(temporary.path, 'f'), content);
  try {
    return await engine.files.readLines('f', { from, to });
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
}

describe('a range of lines', () => {
  it('has the lines of the whole text, wherever the file is cut while it is read', async () => {
    const mebibyte = 1024 * 1024;
    for (const shift of [-3, -2, -1, 0, 1]) {
      for (const middle of ['é\r\nü\r\n', '\n\n\r\n', '🦦\n', '\r\r\n']) {
        const text = `one\n${'x'.repeat(mebibyte + shift - 4)}${middle}last but one\nlast`;
        const whole = splitLines(text);
        for (const [from, to] of [
          [1, 99],
          [2, 2],
          [2, 3],
          [3, 3],
          [3, 99],
          [whole.length, whole.length],
        ] as const) {
          expect(await lines(text, from, to)).toEqual(whole.slice(from - 1, to));
        }
      }
    }
  });

  it('ends with the file, and does not begin beyond it', async () => {
    expect(await lines('a\nb\n', 2, 1_000_000)).toEqual(['b']);
    expect(await lines('a\nb', 2, 2)).toEqual(['b']);
    const beyond = (line: number, count: number) => ({
      kind: 'line-out-of-range',
      path: 'f',
      line,
      lines: count,
    });
    expect(await lines('a\nb\n', 3, 3)).toEqual(beyond(3, 2));
    expect(await lines('a\nb', 9, 9)).toEqual(beyond(9, 2));
    expect(await lines('', 1, 1)).toEqual(beyond(1, 0));
    expect(await lines('\n', 1, 1)).toEqual(['']);
  });

  it('has no byte-order mark, and is refused if it is not UTF-8', async () => {
    expect(await lines('\uFEFFa\nb\n', 1, 1)).toEqual(['a']);
    expect(await lines('\uFEFFa\nb\n', 2, 2)).toEqual(['b']);
    const notText = { kind: 'not-text', path: 'f', why: 'not-utf8' };
    expect(await lines(Buffer.from('\uFEFFa\nb\n', 'utf16le'), 2, 2)).toEqual(notText);
    expect(await lines(Buffer.from('a\ncaf\xe9\n', 'latin1'), 2, 2)).toEqual(notText);
    expect(await lines(Buffer.from('a\ncaf\xe9\n', 'latin1'), 1, 1)).toEqual(['a']);
  });

  it('is not read if the call is cancelled', async () => {
    writeFileSync(join(temporary.path, 'f'), 'a\n');
    const reading = engine.files.readLines('f', { from: 1, to: 1 }, { signal: AbortSignal.abort() });
    await expect(reading).rejects.toMatchObject({ facts: { kind: 'cancelled' } });
  });
});

describe('the last lines', () => {
  const tail = async (content: string | Buffer, count: number) => {
    writeFileSync(join(temporary.path, 'f'), content);
    return engine.files.readTail('f', count).catch((error: EngineFailure) => error.facts);
  };

  it('are those of the whole text, wherever the file is cut while it is read', async () => {
    for (const shift of [-2, -1, 0, 1]) {
      const text = `first\n${'é'.repeat(32 * 1024 + shift)}\r\nlast but one\n\nlast`;
      const whole = splitLines(text);
      for (const count of [1, 2, 3, 4, 5, 99]) expect(await tail(text, count)).toEqual(whole.slice(-count));
    }
  });

  it('are none for an empty file, and have no byte-order mark', async () => {
    expect(await tail('', 5)).toEqual([]);
    expect(await tail('\ufeffone\ntwo\n', 5)).toEqual(['one', 'two']);
    expect(await tail('\ufeffone\ntwo\n', 1)).toEqual(['two']);
  });

  it('are refused if they are not text', async () => {
    expect(await tail(Buffer.from([0x61, 0x0a, 0xff, 0xfe]), 1)).toMatchObject({ kind: 'not-text' });
    expect(await tail(Buffer.from('\ufeffab\n', 'utf16le'), 1)).toMatchObject({ kind: 'not-text' });
  });
});
