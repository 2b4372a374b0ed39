/** The size of a value as JSON is exact, although the JSON is not written. */
import { expect, it } from 'vitest';
import { jsonBytes, jsonBytesUpTo, measuringJson } from '../../src/json/json-size.ts';

const CHARACTERS = ['a', '"', '\\', '\n', '\u0001', '\u007f', 'é', '漢', '😀', '\ud800', '\udc00', '\u2028'];

function randomValue(next: () => number, depth: number): unknown {
  const text = () =>
    Array.from({ length: next() % 9 }, () => CHARACTERS[next() % CHARACTERS.length]).join('');
  switch (next() % (depth === 0 ? 5 : 7)) {
    case 0:
      return next() / 7;
    case 1:
      return next() % 2 === 0;
    case 2:
      return null;
    case 5:
      return Array.from({ length: next() % 4 }, () => randomValue(next, depth - 1));
    case 6:
      return Object.fromEntries(
        Array.from({ length: next() % 4 }, () => [
          text(),
          next() % 5 === 0 ? undefined : randomValue(next, depth - 1),
        ]),
      );
    default:
      return text();
  }
}

it('is the size of what JSON.stringify writes, for every value that can be sent', () => {
  let state = 7;
  const next = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state >> 8;
  };
  for (let i = 0; i < 5000; i++) {
    const value = randomValue(next, 4);
    expect(jsonBytes(value), JSON.stringify(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
  }
});

it.each([
  ['short texts', 'x'],
  ['numbers', 1],
  ['objects', { a: 'x' }],
])('yields again and again while it measures a list of many %s', (_, item) => {
  const yields = (count: number) => [...measuringJson(new Array(count).fill(item))].length;
  expect(yields(200_000)).toBeGreaterThan(15 * yields(10_000));
});

it('yields more often if the texts of a list are longer', () => {
  expect([...measuringJson(new Array(1000).fill('x'.repeat(1000)))].length).toBeGreaterThan(10);
});

it('is not measured beyond the limit that the caller gives', () => {
  const list = new Array(5).fill('x'.repeat(100_000));
  expect(jsonBytesUpTo(list, 1000)).toBe(1000);
  expect(jsonBytesUpTo(list, 1_000_000)).toBe(Buffer.byteLength(JSON.stringify(list)));
  const unread = {
    get later() {
      throw new Error('was measured');
    },
  };
  expect(jsonBytesUpTo([...list, unread], 1000)).toBe(1000);
});

it('is the same for long texts, which WebAssembly measures', () => {
  jsonBytes('x'.repeat(3 * 1024 * 1024));
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  for (const character of [...ascii, ...CHARACTERS.slice(6, 9)]) {
    for (let before = 240; before < 260; before++) {
      const text = `${'a'.repeat(before)}${character}${'b'.repeat(before % 7)}`;
      expect(jsonBytes(text), JSON.stringify(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
    }
  }
  const all = [...ascii, ...CHARACTERS].join('');
  for (const text of [
    all.repeat(500),
    '\u0001'.repeat(50_000),
    '漢"'.repeat(30_000),
    '😀\n'.repeat(20_000),
  ]) {
    expect(jsonBytes(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
  }
});
