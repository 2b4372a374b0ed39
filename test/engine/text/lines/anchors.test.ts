import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { lineHash, parseAnchors } from '../../../../src/engine/text/lines/anchors.ts';
import { shortHashOf } from '../../../../src/engine/text/short-hash.ts';

/** The base-32 form of a whole hash, computed with a BigInt. */
function hashOf(text: string): string {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  const bytes = createHash('sha256').update(text).digest('hex');
  const number = BigInt(`0x${bytes}`) << 4n;
  return Array.from({ length: 52 }, (_, at) => digits[Number((number >> BigInt(255 - 5 * at)) & 31n)]).join(
    '',
  );
}

describe('hashes', () => {
  it.each(['', 'a', '    return x;', 'ü', '日本語', 'x'.repeat(5000)])(
    'are the first characters of SHA-256 in base-32: %j',
    (line) => {
      expect(lineHash(line)).toBe(hashOf(line).slice(0, 2));
      expect(lineHash(line)).toBe(hashOf(line).slice(0, 2));
      const sha256 = createHash('sha256').update(line).digest('hex');
      expect(shortHashOf(sha256)).toBe(hashOf(line).slice(0, 8));
    },
  );

  it('stay the same, however many lines were hashed', () => {
    for (let at = 0; at < 45_000; at++) lineHash(`line ${at}`);
    for (const at of [0, 1, 44_999]) expect(lineHash(`line ${at}`)).toBe(hashOf(`line ${at}`).slice(0, 2));
  });
});

describe('anchors', () => {
  it.each([
    ['12#k3-15#9q', { from: { line: 12, hash: 'k3' }, to: { line: 15, hash: '9q' } }],
    [' 12#K3 - 15#9Q ', { from: { line: 12, hash: 'k3' }, to: { line: 15, hash: '9q' } }],
    ['12#k3', { from: { line: 12, hash: 'k3' }, to: { line: 12, hash: 'k3' } }],
    ['12#k3+', { after: { line: 12, hash: 'k3' } }],
    ['0+', { after: undefined }],
    ['', undefined],
    ['12', undefined],
    ['12-15', undefined],
    ['12#k', undefined],
    ['12#k3-', undefined],
    ['12#k3-15#9q+', undefined],
    ['0', undefined],
    ['5+', undefined],
    ['12#k3| text', undefined],
  ])('are parsed, or rejected: %j', (written, named) => {
    expect(parseAnchors(written)).toEqual(named);
  });
});
