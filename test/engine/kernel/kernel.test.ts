import { describe, expect, it } from 'vitest';
import { loadKernel } from '../../../src/engine/kernel/kernel.ts';
import { pick, randomFrom } from '../search/generated.ts';

const NEWLINE = 0x0a;
const random = randomFrom(5);
const kernel = loadKernel(4096);

/** Writes bytes to the beginning of the kernel's text, with other bytes right after them. */
function load(bytes: Buffer): { from: number; end: number } {
  kernel.reserve(bytes.length + 64);
  bytes.copy(kernel.bytes, kernel.text);
  const end = kernel.text + bytes.length;
  kernel.bytes.fill(pick(random, [0, NEWLINE, 0x61]), end, end + 64);
  return { from: kernel.text, end };
}

function randomBytes(length: number, from: readonly number[]): Buffer {
  return Buffer.from(Array.from({ length }, () => pick(random, from)));
}

const BITS = [0, 1, 2, 3, 4, 5, 6, 7];

describe('the kernel', () => {
  it('makes a signature of a text with a mark for each three adjacent bytes, in any letter case', () => {
    for (let round = 0; round < 400; round++) {
      const bytes = randomBytes(Math.floor(random() * 200), [
        NEWLINE,
        0x41,
        0x61,
        0x5a,
        0x7a,
        0x5f,
        0xc3,
        0xbc,
      ]);
      const { from, end } = load(bytes);
      kernel.beginSignature(pick(random, [32, 64, 128, 256, 512, 8192]));
      const middle = Math.min(end, from + Math.floor(random() * (end - from)) + 2);
      kernel.addToSignature(from, middle);
      kernel.addToSignature(Math.max(from, middle - 2), end);
      const signature = kernel.endSignature();
      const bits = signature.length * 8;
      const expected = new Set<number>();
      const lower = bytes.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte));
      for (let at = 0; at + 3 <= lower.length; at++) {
        expected.add(kernel.markOf(lower[at]!, lower[at + 1]!, lower[at + 2]!) >> (16 - Math.log2(bits)));
      }
      const marked = [...signature].flatMap((byte, at) =>
        byte === 0 ? [] : BITS.filter((bit) => (byte >> bit) & 1).map((bit) => at * 8 + bit),
      );
      expect(marked).toEqual([...expected].sort((a, b) => a - b));
    }
  });

  it('finds and counts single bytes at every length and place', () => {
    for (let length = 0; length < 300; length++) {
      const bytes = randomBytes(length, [NEWLINE, 0x61, 0x62, 0x63, 0xc3]);
      const { from, end } = load(bytes);
      const start = Math.floor(random() * (length + 1));
      const part = bytes.subarray(start);
      const first = part.indexOf(NEWLINE);
      expect(kernel.memchr(from + start, end, NEWLINE)).toBe(first < 0 ? end : from + start + first);
      const last = part.lastIndexOf(NEWLINE);
      expect(kernel.memrchr(from + start, end, NEWLINE)).toBe(
        last < 0 ? from + start - 1 : from + start + last,
      );
      expect(kernel.countByte(from + start, end, NEWLINE)).toBe(
        part.filter((byte) => byte === NEWLINE).length,
      );
      expect(kernel.nonAscii(from + start, end)).toBe(part.some((byte) => byte > 127));
    }
  });

  it('counts a byte that occurs very many times', () => {
    const { from, end } = load(Buffer.alloc(100_000, NEWLINE));
    expect(kernel.countByte(from, end, NEWLINE)).toBe(100_000);
  });

  it('finds every run of a given number of bytes of one class', () => {
    const members = new Uint8Array(256);
    members.set([1, 1], 0x61);
    for (let round = 0; round < 400; round++) {
      const bytes = randomBytes(Math.floor(random() * 200), [0x61, 0x61, 0x62, 0x62, 0x62, 0xc3, NEWLINE]);
      const { from, end } = load(bytes);
      const length = 1 + Math.floor(random() * 9);
      kernel.use({ kind: 'run', length, bytes: members });
      const start = Math.floor(random() * (bytes.length + 1));
      const text = bytes.toString('latin1', start);
      const expected = text.search(new RegExp(`[ab]{${length}}`));
      expect(kernel.nextCandidate(from + start, end)).toBe(expected < 0 ? 0 : from + start + expected);
    }
  });

  it('skips lines, or reports how many are missing', () => {
    const bytes = randomBytes(20_000, [NEWLINE, 0x61, 0x62, 0x63, 0x64, 0x65]);
    const { from, end } = load(bytes);
    const newlines = [...bytes].flatMap((byte, index) => (byte === NEWLINE ? [index] : []));
    for (const lines of [0, 1, 2, 15, 100, 1000, newlines.length]) {
      const next = lines === 0 ? from : from + newlines[lines - 1]! + 1;
      expect(kernel.skipLines(from, end, lines)).toEqual({ next });
    }
    expect(kernel.skipLines(from, end, newlines.length + 7)).toEqual({ left: 7 });
  });

  it('finds exactly the lines that contain one of the literals', () => {
    for (let round = 0; round < 400; round++) {
      const ignoreCase = random() < 0.5;
      const literals = Array.from({ length: 1 + Math.floor(random() * 8) }, () =>
        randomBytes(1 + Math.floor(random() * 6), [0x61, 0x62, 0x6b, 0xc3, 0xa9, 0x5f]).toString('latin1'),
      );
      const bytes = randomBytes(Math.floor(random() * 400), [
        NEWLINE,
        0x61,
        0x41,
        0x62,
        0x42,
        0x6b,
        0xc3,
        0xa9,
        0x5f,
      ]);
      const { from, end } = load(bytes);
      const alsoRequired = random() < 0.5 ? [] : [pick(random, ['a', 'kb', '_'])];
      kernel.use({ kind: 'literals', literals: [...new Set(literals)], ignoreCase, alsoRequired });
      const folded = (text: string) => (ignoreCase ? text.replace(/[A-Z]/g, (c) => c.toLowerCase()) : text);
      const lines = bytes.toString('latin1').split('\n');
      const holds = (line: string, literal: string) => folded(line).includes(literal);
      const proposed = lines.flatMap((line, i) => (literals.some((l) => holds(line, l)) ? [i] : []));
      const expected = proposed.filter((i) => alsoRequired.every((literal) => holds(lines[i]!, literal)));
      const found: number[] = [];
      let number = 0;
      for (let at = from; at < end && kernel.nextLine(at, end); at = kernel.lineEnd + 1) {
        number += kernel.linesBefore;
        found.push(number++);
        const line = bytes.subarray(kernel.lineStart - from, kernel.lineEnd - from);
        expect(line.toString('latin1')).toBe(lines[found.at(-1)!]);
        expect(kernel.lineIsAscii).toBe(!line.some((byte) => byte > 127));
      }
      expect(found).toEqual(expected);
      expect(kernel.countLines(from, end)).toBe(proposed.length);
    }
  });

  it('keeps its text when its memory grows', () => {
    const grown = loadKernel(100);
    grown.bytes.write('kept', grown.text);
    grown.reserve(5 << 20);
    expect(grown.bytes.toString('latin1', grown.text, grown.text + 4)).toBe('kept');
    expect(grown.capacity).toBeGreaterThanOrEqual(5 << 20);
  });
});
