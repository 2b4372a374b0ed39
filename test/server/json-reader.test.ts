/** Reading a long message in turns gives exactly what JSON.parse gives. */
import { describe, expect, it } from 'vitest';
import { NotUtf8, readJsonInTurns } from '../../src/server/mcp/messages/json-reader.ts';

const PIECE = 64 * 1024;

/** Cuts the bytes as a pipe may deliver them, in parts that end anywhere. */
function read(text: string | Buffer, size = 10_007): Promise<unknown> {
  const bytes = Buffer.from(text as string);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
  return readJsonInTurns(parts, bytes.length);
}

describe('reads', () => {
  const long = 'é\\"漢\n\u{1f600}x'.repeat(PIECE / 4);
  const values: Record<string, unknown> = {
    'a long text': long,
    'escapes of all lengths': `${'\u0001"\\\n'.repeat(PIECE)}\ud83d`,
    'a text of backslashes': '\\'.repeat(3 * PIECE),
    'many numbers': Array.from({ length: PIECE / 2 }, (_, i) => i / 8 - 5),
    'many small members': Object.fromEntries(
      Array.from({ length: PIECE / 8 }, (_, i) => [`n${i}é`, [i, null]]),
    ),
    'large members among small ones': { a: 1, b: [long, {}, 2, [long, true]], [long]: long, c: 'd', '7': [] },
    'a long list of lists': Array.from({ length: 2000 }, (_, i) => Array.from({ length: i % 90 }, () => 'x')),
    'a small value': { x: 'y' },
  };
  for (const [name, value] of Object.entries(values)) {
    it(name, async () => {
      expect(await read(JSON.stringify(value))).toEqual(value);
      expect(await read(JSON.stringify(value, null, 3))).toEqual(value);
    });
  }

  it('only the first members of an object with far more than any call has', async () => {
    const value = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`n${i}`, i]));
    const first = Object.fromEntries(Object.entries(value).slice(0, 10_000));
    expect(await read(JSON.stringify([value, 'more']))).toEqual([first, 'more']);
  });

  it('all escapes that a client may write', async () => {
    const json = `"${'\\ud83d\\ude00\\u00e9\\/\\b'.repeat(PIECE)}"`;
    for (const shift of ['', 'a', 'ab', 'abc', 'abcd', 'abcde']) {
      const shifted = `"${shift}${json.slice(1)}`;
      expect(await read(shifted)).toBe(JSON.parse(shifted));
    }
  });

  it('members called __proto__, and the last of two members with the same name', async () => {
    const json = `{"a":1,"__proto__":{"x":1},"big":"${'x'.repeat(PIECE)}","a":2}`;
    const value = (await read(json)) as object;
    expect(Object.entries(value)).toEqual(Object.entries(JSON.parse(json) as object));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('megabytes of blanks, in turns', async () => {
    const blanks = ' '.repeat(12_000_000);
    const json = `{"a":1,${blanks}"b"${blanks}:${blanks}2}`;
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const value = await readJsonInTurns([Buffer.from(json)], json.length);
    clearImmediate(counting);
    expect(value).toEqual({ a: 1, b: 2 });
    expect(turns).toBeGreaterThan(1);
  });

  it('blanks everywhere and a byte-order mark', async () => {
    const blanks = ' \n\t\r'.repeat(PIECE);
    expect(await read(`\ufeff${blanks}[${blanks}]${blanks}`)).toEqual([]);
    expect(await read(`{${blanks}"a"${blanks}:${blanks}[1${blanks},${blanks}2]}`)).toEqual({ a: [1, 2] });
    expect(await read(`{"a":1,${blanks}"b":2,"c"${blanks}:3,"d":${blanks}4}`)).toEqual({
      a: 1,
      b: 2,
      c: 3,
      d: 4,
    });
  });
});

it('reads many levels in a message that is not very long', async () => {
  const json = `${'['.repeat(200)}"${'x'.repeat(2 * PIECE)}"${']'.repeat(200)}`;
  expect(await read(json)).toEqual(JSON.parse(json));
});

describe('refuses', () => {
  const text = 'x'.repeat(2 * PIECE);
  const wrong = [
    `["${text}",]`,
    `[,"${text}"]`,
    `["${text}" "b"]`,
    `["${text}"`,
    `["${text}]`,
    `["${text}"]]`,
    `["${text}"}`,
    `{"a":"${text}",}`,
    `{"a" "${text}"}`,
    `{"a":"${text}","b"}`,
    `{a:"${text}"}`,
    `{1:"${text}"}`,
    `["${text}\\x"]`,
    `["${text}\\u12"]`,
    `["${text}\n"]`,
    `[${'1,'.repeat(PIECE)}]`,
    `[${'1 '.repeat(PIECE)}]`,
    `[${'01,'.repeat(PIECE)}1]`,
    '['.repeat(3 * PIECE),
    `${'['.repeat(200)}"${text.repeat(4)}"${']'.repeat(200)}`,
    ' '.repeat(3 * PIECE),
    '',
  ];
  for (const json of wrong) {
    it(`${json.slice(0, 8)}…${json.slice(-8)} (${json.length})`, async () => {
      await expect(read(json)).rejects.toBeInstanceOf(SyntaxError);
    });
  }

  it('bytes that are not UTF-8, wherever they are', async () => {
    const bytes = Buffer.from(`"${'é'.repeat(20 * PIECE)}"`);
    for (const at of [1, 16 * PIECE, bytes.length - 2]) {
      const torn = Buffer.from(bytes);
      torn[at] = 0xff;
      await expect(read(torn)).rejects.toBeInstanceOf(NotUtf8);
    }
  });
});

it('reads random values', async () => {
  let seed = 7;
  const chance = (most: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % most;
  };
  const texts = ['', 'a', '"', '\\', 'é', '漢\n', '\u{1f600}', '\ud800', 'x'.repeat(PIECE - 3), '{[,:]}'];
  const make = (depth: number): unknown => {
    const kind = chance(depth > 4 ? 3 : 5);
    if (kind === 0) return [null, true, false, 0, -1.5e-9, 1e21][chance(6)];
    if (kind < 3) return texts[chance(texts.length)]!.repeat(1 + chance(3));
    const inner = Array.from({ length: chance(7) }, () => make(depth + 1));
    return kind === 3
      ? inner
      : Object.fromEntries(inner.map((value, i) => [`${i}${texts[chance(8)]}`, value]));
  };
  for (let i = 0; i < 60; i++) {
    const value = [make(0), make(0), 'y'.repeat(PIECE)];
    expect(await read(JSON.stringify(value), 1 + chance(90_000))).toEqual(value);
  }
});
