import { beforeAll, expect, test, vi } from 'vitest';
import { JsonBytes } from '../../src/json/json-bytes.ts';
import { writeJson, writeJsonTo } from '../../src/json/write-json.ts';

// After this much text, WebAssembly escapes long texts.
beforeAll(() => void writeJson('x'.repeat(2 * 1024 * 1024)));

const VALUES = [
  { id: 1, content: [{ type: 'text', text: `a "line"\n${'é€😀\u0001'.repeat(500)}` }] },
  { 'a "name"': 'y'.repeat(40_000), ä: [undefined, null, true, 1.5], missing: undefined },
  {},
  [],
  'z'.repeat(300),
];

test('a list of values has the bytes of their JSON, and so has the list after it', () => {
  const list = new JsonBytes();
  for (let round = 0; round < 3; round++) {
    for (const value of VALUES) {
      writeJsonTo(list, value);
      list.add('\n');
    }
    expect(list.isEmpty).toBe(false);
    expect(list.take().toString()).toBe(VALUES.map((value) => `${JSON.stringify(value)}\n`).join(''));
    expect(list.isEmpty).toBe(true);
  }
});

test('bytes that were taken do not change when later values are added', () => {
  const list = new JsonBytes();
  writeJsonTo(list, VALUES[0]);
  const first = list.take();
  writeJsonTo(list, VALUES[1]);
  list.take();
  expect(first.toString()).toBe(JSON.stringify(VALUES[0]));
});

test('added values can be measured and dropped, whether they are bytes or text', () => {
  const list = new JsonBytes();
  list.add('ä');
  writeJsonTo(list, VALUES[0]);
  list.add('ö');
  for (const value of VALUES) {
    const before = list.end;
    writeJsonTo(list, value);
    expect(list.bytesSince(before)).toBe(Buffer.byteLength(JSON.stringify(value)));
    expect(list.mostBytes).toBeGreaterThanOrEqual(list.bytesSince({ length: 0, text: '' }));
    list.dropFrom(before);
  }
  list.add('.');
  expect(list.take().toString()).toBe(`ä${JSON.stringify(VALUES[0])}ö.`);
});

test('a long list that grows by small pieces is seldom copied', () => {
  const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow');
  try {
    const list = new JsonBytes();
    const piece = Buffer.alloc(16 * 1024, 'x');
    for (let pieces = 0; pieces < 500; pieces++) list.addBytes(piece, 0, piece.length);
    expect(list.take()).toHaveLength(500 * piece.length);
    expect(allocate.mock.calls.length).toBeLessThan(15);
  } finally {
    allocate.mockRestore();
  }
});
