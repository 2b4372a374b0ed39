import { describe, expect, it } from 'vitest';
import { seccompFilter } from '../../../../src/engine/run/sandbox/seccomp.ts';

const ALLOWED = 0x7fff0000;
const refused = (errno: number) => 0x00050000 | errno;

interface Asked {
  arch?: number;
  number: number;
  args?: number[];
}

/** Runs a filter as the kernel would. */
function answer(filter: Buffer, { arch = 0xc000003e, number, args = [] }: Asked): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(arch, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const [code, value] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    const holds: Record<number, boolean> = {
      21: loaded === value,
      53: loaded >= value,
      69: (loaded & value) !== 0,
    };
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x54) loaded &= value;
    else if (code === 0x06) return value;
    else at += filter.readUInt8(at * 8 + (holds[code] ? 2 : 3));
  }
  throw new Error('the filter has no end');
}

describe('the filter for system calls', () => {
  const x64 = seccompFilter({ unixSockets: true }, 'x64')!;
  const arm64 = seccompFilter({ unixSockets: true }, 'arm64')!;
  const ARM = 0xc00000b7;

  it('refuses system calls by their numbers, which depend on the processor', () => {
    expect(answer(x64, { number: 250 })).toBe(refused(1));
    expect(answer(x64, { number: 219 })).toBe(ALLOWED);
    expect(answer(arm64, { arch: ARM, number: 219 })).toBe(refused(1));
    expect(answer(arm64, { arch: ARM, number: 250 })).toBe(ALLOWED);
    expect(seccompFilter({ unixSockets: true }, 'mips')).toBeUndefined();
  });

  it('refuses calls with the convention of another processor', () => {
    expect(answer(x64, { arch: 0x40000003, number: 20 })).toBe(refused(38));
    expect(answer(x64, { number: 0x40000000 + 39 })).toBe(refused(38));
    expect(answer(arm64, { number: 39 })).toBe(refused(38));
  });

  it('checks socket families, namespace flags and terminal requests', () => {
    const socket = (filter: Buffer, family: number) => answer(filter, { number: 41, args: [family] });
    expect([1, 2, 10, 16].map((family) => socket(x64, family))).toEqual([ALLOWED, ALLOWED, ALLOWED, ALLOWED]);
    expect([0, 17, 38, 40].every((family) => socket(x64, family) === refused(97))).toBe(true);
    expect(socket(seccompFilter({ unixSockets: false }, 'x64')!, 1)).toBe(refused(97));
    expect(answer(x64, { number: 56, args: [0x003d0f00] })).toBe(ALLOWED);
    expect(answer(x64, { number: 56, args: [0x10000011] })).toBe(refused(1));
    expect(answer(x64, { number: 56, args: [0x40000011] })).toBe(refused(1));
    expect(answer(x64, { number: 435 })).toBe(refused(38));
    expect(answer(x64, { number: 16, args: [0, 0x5412] })).toBe(refused(1));
    expect(answer(x64, { number: 16, args: [0, 0x5401] })).toBe(ALLOWED);
  });

  it('refuses pairs of datagram and raw sockets when Unix sockets are not allowed', () => {
    const strict = seccompFilter({ unixSockets: false }, 'x64')!;
    const NONBLOCK = 0x800;
    const pair = (filter: Buffer, type: number) => answer(filter, { number: 53, args: [1, type] });
    expect([1, 5, 1 | NONBLOCK].map((type) => pair(strict, type))).toEqual([ALLOWED, ALLOWED, ALLOWED]);
    expect([2, 3, 2 | NONBLOCK, 0].every((type) => pair(strict, type) === refused(94))).toBe(true);
    expect(pair(x64, 2)).toBe(ALLOWED);
    const arm = seccompFilter({ unixSockets: false }, 'arm64')!;
    expect(answer(arm, { arch: ARM, number: 199, args: [1, 2] })).toBe(refused(94));
  });

  it('refuses large System V segments', () => {
    const segment = (size: number) => answer(x64, { number: 29, args: [0, size, 0o600] });
    expect([0, 56, 2 ** 20].map(segment)).toEqual([ALLOWED, ALLOWED, ALLOWED]);
    expect([2 ** 20 + 1, 2 ** 31, 2 ** 32, 2 ** 40].every((size) => segment(size) === refused(22))).toBe(
      true,
    );
    expect(answer(arm64, { arch: ARM, number: 194, args: [0, 2 ** 30] })).toBe(refused(22));
  });

  it('allows the calls of ordinary programs', () => {
    for (const number of [0, 1, 2, 9, 42, 53, 57, 59, 60, 202, 257, 281, 318, 332])
      expect(answer(x64, { number })).toBe(ALLOWED);
  });
});
