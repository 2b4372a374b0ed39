/** `writeJson` writes exactly what `JSON.stringify` writes. */
import { beforeAll, expect, it } from 'vitest';
import { writeJson } from '../../src/json/write-json.ts';

const PIECE = 16 * 1024;

// After this much text, it uses WebAssembly.
beforeAll(() => void writeJson('x'.repeat(2 * 1024 * 1024)));

it('escapes every character at every place of a vector', () => {
  const units = [...Array(256).keys(), 0x2028, 0x2029, 0x6f22, 0xfeff, 0xffff];
  for (const unit of units) {
    for (let at = 0; at < 17; at++) {
      const text = `${'a'.repeat(200 + at)}${String.fromCharCode(unit)}${'b'.repeat(at)}`;
      expect(writeJson(text)).toBe(JSON.stringify(text));
    }
  }
});

it('writes the end of a text, however little of a vector it fills', () => {
  const marks = ['"', '\\', '\n', '\u0001', '\u007f', 'é', '漢', '😀'];
  for (let length = 190; length < 260; length++)
    for (const mark of marks) {
      const text = `${mark}${'x'.repeat(length)}${mark.repeat(3)}`;
      expect(writeJson(text)).toBe(JSON.stringify(text));
    }
});

it('writes nothing of a longer text that it wrote before', () => {
  writeJson('"'.repeat(PIECE));
  expect(writeJson('y'.repeat(300))).toBe(JSON.stringify('y'.repeat(300)));
});

it.each([
  ['the longest escapes', '\u0001'.repeat(3 * PIECE)],
  ['the longest characters', '漢'.repeat(2 * PIECE + 7)],
  ['pairs across the ends of pieces', `a${'😀'.repeat(PIECE)}`],
  ['halves of pairs', `${'a'.repeat(300)}\ud83d ${'b'.repeat(300)}\ude00`],
])('writes %s', (_, text) => {
  expect(writeJson(text)).toBe(JSON.stringify(text));
});

it.each([
  ['members without a value', { a: undefined, b: 1, c: null }],
  ['lists with gaps', [undefined, 1, [undefined]]],
  ['empty ones', { a: {}, b: [], c: '' }],
  [
    'a message',
    { jsonrpc: '2.0', id: 'é"', result: { content: [{ type: 'text', text: '"\n'.repeat(999) }] } },
  ],
  ['names that need escapes', { 'a"\n': 'b"\n'.repeat(200), ['long name'.repeat(40)]: true }],
  ['what lies deep', [[[[[[[{ deep: '\\'.repeat(300), none: undefined }]]]]]]]],
])('writes %s', (_, value) => {
  expect(writeJson(value)).toBe(JSON.stringify(value));
});
