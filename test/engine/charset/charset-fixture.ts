/** Random texts and bytes for tests of encodings, from a seed. */

import { provideConverter } from '../../../src/engine/charset/converter.ts';
import { converterSource } from '../../../src/engine/confine/protect/own-package.ts';
import { CHARSETS } from '../../../src/engine/index.ts';

provideConverter(converterSource);

/** The encodings that need tables. */
export const tabled: readonly string[] = CHARSETS.filter((name) => !name.startsWith('utf-'));

export type Random = (below: number) => number;

export function seeded(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

/** Bytes that look like text, many of which begin no character. */
export function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(
    Array.from({ length }, () => {
      const kind = random(10);
      if (kind < 2) return 10;
      if (kind < 4) return 0x30 + random(10);
      return kind < 5 ? 0x40 + random(60) : 0x80 + random(128);
    }),
  );
}

export function randomText(random: Random, characters: readonly string[], length: number): string {
  return Array.from({ length }, () =>
    random(8) === 0 ? '\n' : random(3) === 0 ? 'abc XYZ'[random(7)] : characters[random(characters.length)],
  ).join('');
}
