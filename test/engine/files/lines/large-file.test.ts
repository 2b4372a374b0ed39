import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Dir, OpenFile } from '../../../../src/engine/confine/directory/dir.ts';
import { chooseOpener } from '../../../../src/engine/confine/protection.ts';
import { EngineFailure } from '../../../../src/engine/failures.ts';
import { countLines, readLineRange, readTail } from '../../../../src/engine/files/lines/large-file.ts';
import { temporaryDirectory } from '../../../tree.ts';

const MiB = 1024 * 1024;
const scratch = temporaryDirectory();
const dir: Dir = chooseOpener().hold(scratch.path);
const opened: OpenFile[] = [];
afterEach(() => {
  for (const file of opened.splice(0)) file.close();
});
afterAll(() => {
  dir.close();
  scratch.remove();
});

function open(name: string): OpenFile {
  const file = dir.open(name);
  opened.push(file);
  return file;
}

let files = 0;
function fileWith(content: string | Buffer): OpenFile {
  const name = `file${files++}`;
  writeFileSync(join(scratch.path, name), content);
  return open(name);
}

/** A file of zeros, without a newline, that takes no room on the disk. */
function sparse(size: number): OpenFile {
  const name = `file${files++}`;
  writeFileSync(join(scratch.path, name), '');
  truncateSync(join(scratch.path, name), size);
  return open(name);
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 150));
const all = { maxBytes: 64 * MiB };

async function rangeOf(content: string, from: number, to: number, maxBytes = MiB) {
  const { bytes, ...rest } = await readLineRange(fileWith(content), from, to, { maxBytes });
  return { text: bytes.toString(), ...rest };
}

async function tailOf(content: string, lines: number, maxBytes = MiB) {
  const { bytes, ...rest } = await readTail(fileWith(content), lines, { maxBytes });
  return { text: bytes.toString(), ...rest };
}

const whole = { truncated: false, partialLine: false };

describe('lines', () => {
  it('end with their newline', async () => {
    expect(await countLines(fileWith('a\nb\n'))).toBe(2);
    expect(await countLines(fileWith('a\nb'))).toBe(2);
    expect(await countLines(fileWith('\n'))).toBe(1);
    expect(await countLines(fileWith('\n\nx'))).toBe(3);
    expect(await countLines(fileWith(''))).toBe(0);
  });

  it('are counted over many pieces, even if a file ends right at the end of one', async () => {
    const line = `${'x'.repeat(63)}\n`;
    expect(await countLines(fileWith(line.repeat((3 * MiB) / 64)))).toBe((3 * MiB) / 64);
    expect(await countLines(fileWith('x'.repeat(2 * MiB)))).toBe(1);
    expect(await countLines(fileWith(`${'x'.repeat(2 * MiB - 1)}\n`))).toBe(1);
    expect(await countLines(fileWith(`${'x'.repeat(2 * MiB - 1)}\ny`))).toBe(2);
    expect(await countLines(fileWith('\n'.repeat(MiB)))).toBe(MiB);
  });
});

describe('a range', () => {
  it('has the bytes of its lines with their newlines', async () => {
    const content = 'one\ntwo\r\nthree\nfour';
    expect(await rangeOf(content, 1, 2)).toEqual({ text: 'one\ntwo\r\n', from: 1, to: 2, ...whole });
    expect(await rangeOf(content, 3, 3)).toEqual({
      text: 'three\n',
      from: 3,
      to: 3,
      totalLines: 4,
      ...whole,
    });
    expect(await rangeOf(content, 4, 4)).toEqual({ text: 'four', from: 4, to: 4, totalLines: 4, ...whole });
    expect(await rangeOf('a\n\nb\n', 2, 2)).toMatchObject({ text: '\n', from: 2, to: 2 });
  });

  it('ends where the file ends', async () => {
    const end = { totalLines: 2, ...whole };
    expect(await rangeOf('a\nb\n', 2, 99)).toEqual({ text: 'b\n', from: 2, to: 2, ...end });
    expect(await rangeOf('a\nb', 1, Number.POSITIVE_INFINITY)).toEqual({
      text: 'a\nb',
      from: 1,
      to: 2,
      ...end,
    });
  });

  it('is empty beyond the end, and says how many lines there are', async () => {
    expect(await rangeOf('a\nb\n', 3, 5)).toEqual({ text: '', from: 3, to: 2, totalLines: 2, ...whole });
    expect(await rangeOf('a\nb', 3, 5)).toEqual({ text: '', from: 3, to: 2, totalLines: 2, ...whole });
    expect(await rangeOf('', 1, 5)).toEqual({ text: '', from: 1, to: 0, totalLines: 0, ...whole });
    expect(await rangeOf('a\n', 9e15, 9e15)).toMatchObject({ text: '', totalLines: 1 });
  });

  it('is cut at the end of a line if it is too long', async () => {
    const cut = await rangeOf('aaaa\nbbbb\ncccc\n', 1, 3, 12);
    expect(cut).toEqual({ text: 'aaaa\nbbbb\n', from: 1, to: 2, truncated: true, partialLine: false });
    expect(await rangeOf('aaaa\nbbbb\ncccc\n', 1, 3, 10)).toMatchObject({
      text: 'aaaa\nbbbb\n',
      truncated: true,
    });
    expect(await rangeOf('aaaa\nbbbb\ncccc\n', 1, 3, 15)).toMatchObject({ to: 3, truncated: false });
    expect(await rangeOf('aaaa\nbbbb\ncccc', 1, 3, 14)).toMatchObject({ to: 3, truncated: false });
    expect(await rangeOf('aaaa\nbbbb\ncccc\n', 1, 2, 10)).toMatchObject({ to: 2, truncated: false });
  });

  it('is cut between characters if one line alone is too long', async () => {
    const part = { from: 2, to: 2, totalLines: 2, truncated: true, partialLine: true };
    expect(await rangeOf('x\näöü\n', 2, 3, 3)).toEqual({ text: 'ä', ...part });
    expect(await rangeOf('x\näöü\n', 2, 3, 4)).toEqual({ text: 'äö', ...part });
    expect(await rangeOf('x\n😀😀\n', 2, 2, 7)).toEqual({ text: '😀', ...part });
    expect(await rangeOf('x\nyz\n', 2, 2, 0)).toEqual({ ...part, text: '', to: 1 });
  });

  it('keeps bytes that are not UTF-8', async () => {
    const { bytes } = await readLineRange(fileWith(Buffer.from([0xff, 0x0a, 0xfe, 0x00, 0x0a])), 2, 2, all);
    expect([...bytes]).toEqual([0xfe, 0x00, 0x0a]);
  });
});

describe('a tail', () => {
  it('has the last lines', async () => {
    expect(await tailOf('a\nb\nc\n', 2)).toEqual({ text: 'b\nc\n', lines: 2, ...whole });
    expect(await tailOf('a\nb\nc', 2)).toEqual({ text: 'b\nc', lines: 2, ...whole });
    expect(await tailOf('a\n\n\n', 2)).toEqual({ text: '\n\n', lines: 2, ...whole });
    expect(await tailOf('a\nb\n', 9)).toEqual({ text: 'a\nb\n', lines: 2, totalLines: 2, ...whole });
    expect(await tailOf('a', 1)).toEqual({ text: 'a', lines: 1, totalLines: 1, ...whole });
    expect(await tailOf('a\nb\n', 0)).toEqual({ text: '', lines: 0, ...whole });
    expect(await tailOf('', 3)).toEqual({ text: '', lines: 0, totalLines: 0, ...whole });
  });

  it('is cut at the start of a line if it is too long', async () => {
    const cut = { truncated: true, partialLine: false };
    expect(await tailOf('aaaa\nbbbb\ncccc\n', 3, 12)).toEqual({ text: 'bbbb\ncccc\n', lines: 2, ...cut });
    expect(await tailOf('aaaa\nbbbb\ncccc\n', 3, 10)).toEqual({ text: 'bbbb\ncccc\n', lines: 2, ...cut });
    expect(await tailOf('aaaa\nbbbb\ncccc\n', 3, 9)).toEqual({ text: 'cccc\n', lines: 1, ...cut });
    expect(await tailOf('aaaa\nbbbb\ncccc\n', 3, 15)).toMatchObject({ lines: 3, truncated: false });
    expect(await tailOf('\nbbbb', 2, 4)).toEqual({ text: 'bbbb', lines: 1, ...cut });
  });

  it('is cut between characters if the last line alone is too long', async () => {
    const part = { lines: 1, truncated: true, partialLine: true };
    expect(await tailOf('x\näöü', 1, 3)).toEqual({ text: 'ü', ...part });
    expect(await tailOf('x\näöü', 1, 4)).toEqual({ text: 'öü', ...part });
    expect(await tailOf('xyz', 1, 0)).toEqual({ ...part, text: '', lines: 0 });
  });
});

describe('generated files', () => {
  it('give the lines that splitting the whole text gives, on the first read and on later ones', async () => {
    const random = randomFrom(3);
    for (const longest of [3, 80, 5000, 700_000]) {
      const lines = generateLines(random, longest, 1.5 * MiB);
      const content = lines.join('');
      const name = `generated${longest}`;
      writeFileSync(join(scratch.path, name), content);
      await settled();
      for (let look = 0; look < 16; look++) {
        const file = open(name);
        const from = 1 + random(lines.length + 3);
        const to = from + random(look % 2 === 0 ? 50 : lines.length);
        const range = await readLineRange(file, from, to, all);
        expect(range.bytes.toString('latin1')).toBe(lines.slice(from - 1, to).join(''));
        expect(range.to).toBe(Math.max(from - 1, Math.min(to, lines.length)));
        const tail = await readTail(file, look * 7, all);
        expect(tail.bytes.toString('latin1')).toBe(look === 0 ? '' : lines.slice(-look * 7).join(''));
        if (look === 8) expect(await countLines(file)).toBe(lines.length);
        if (look > 8) expect(range.totalLines).toBe(lines.length);
      }
    }
  });

  it('give the same lines if many calls read at once', async () => {
    const random = randomFrom(4);
    const lines = generateLines(random, 60, 6 * MiB);
    const file = fileWith(lines.join(''));
    await settled();
    const again = open(`file${files - 1}`);
    expect(file.fd).not.toBe(again.fd);
    await Promise.all(
      Array.from({ length: 24 }, async (_, i) => {
        const from = 1 + random(lines.length);
        const range = await readLineRange(i % 2 === 0 ? file : again, from, from + 40, all);
        expect(range.bytes.toString('latin1')).toBe(lines.slice(from - 1, from + 40).join(''));
        if (i % 5 === 0) expect(await countLines(again)).toBe(lines.length);
      }),
    );
  });
});

describe('a file that changes', () => {
  it('ends where it ended when it was opened', async () => {
    const file = fileWith('a\nb');
    appendFileSync(join(scratch.path, `file${files - 1}`), 'b\nc\n');
    expect(await countLines(file)).toBe(2);
    expect((await readTail(file, 1, all)).bytes.toString()).toBe('b');
    expect((await readLineRange(file, 2, 9, all)).bytes.toString()).toBe('b');
  });

  it('gives what is left if it was truncated', async () => {
    const file = fileWith('a\nb\nc\nd\n');
    truncateSync(join(scratch.path, `file${files - 1}`), 4);
    expect(await countLines(file)).toBe(2);
    expect((await readLineRange(file, 2, 9, all)).bytes.toString()).toBe('b\n');
    expect((await readLineRange(file, 4, 9, all)).bytes.toString()).toBe('');
  });

  it('is scanned again, however soon after the last read it was written', async () => {
    const name = `file${files++}`;
    for (let i = 0; i < 20; i++) {
      const lines = i % 2 === 0 ? ['aa\n', 'b\n', 'c\n'] : ['a\n', 'bb\n', 'c\n'];
      writeFileSync(join(scratch.path, name), `${'\n'.repeat(300_000)}${lines.join('')}`);
      const { bytes } = await readLineRange(open(name), 300_001, 300_001, all);
      expect(bytes.toString()).toBe(lines[0]);
    }
  });
});

describe('a large file', () => {
  it('stops being scanned if the call is cancelled', async () => {
    const file = sparse(300 * MiB);
    const aborted = AbortSignal.abort();
    await expect(countLines(file, { signal: aborted })).rejects.toThrow(EngineFailure);
    await expect(readTail(file, 1, { ...all, signal: aborted })).rejects.toThrow('cancelled');
    const controller = new AbortController();
    const counting = countLines(file, { signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    await expect(counting).rejects.toMatchObject({ facts: { kind: 'cancelled' } });
    expect(await countLines(fileWith('a\nb\n'))).toBe(2);
  });

  it('neither blocks other work nor takes much memory', async () => {
    const file = sparse(200 * MiB);
    await countLines(sparse(4 * MiB));
    const before = process.memoryUsage().rss;
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    expect(await countLines(file)).toBe(1);
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(10);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MiB);
  });

  it.skipIf(!existsSync('/proc/self/io'))('is scanned once: later reads find their place', async () => {
    const name = `file${files++}`;
    writeFileSync(join(scratch.path, name), `${'x'.repeat(99)}\n`.repeat(200_000));
    await settled();
    const look = async () => {
      const before = bytesReadSoFar();
      const { bytes } = await readLineRange(open(name), 190_000, 190_002, all);
      expect(bytes.length).toBe(300);
      return bytesReadSoFar() - before;
    };
    expect(await look()).toBeGreaterThan(18 * MiB);
    expect(await look()).toBeLessThan(2 * MiB);
    expect(await look()).toBeLessThan(2 * MiB);
  });
});

function bytesReadSoFar(): number {
  return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))![1]);
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed * 2654435761;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function generateLines(random: (below: number) => number, longest: number, bytes: number): string[] {
  const lines: string[] = [];
  for (let total = 0; total < bytes; total += lines.at(-1)!.length)
    lines.push(`${'x'.repeat(random(longest))}\n`);
  lines.push('the end');
  return lines;
}
