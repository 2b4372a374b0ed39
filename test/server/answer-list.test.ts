/** The answers to a batch as one list: it is never longer than a message may be, and has an answer for each request. */
import { expect, it } from 'vitest';
import { answerList } from '../../src/server/mcp/messages/answer-list.ts';
import { bytesIn, type Json } from '../../src/server/mcp/messages/json-in-turns.ts';

const MOST = 8 * 1024 * 1024;

/** An answer whose JSON has this many bytes. */
function answer(id: string, bytes: number, inPieces = false) {
  const message = { jsonrpc: '2.0' as const, id, result: { text: '' } };
  const text = 'x'.repeat(bytes - Buffer.byteLength(JSON.stringify(message)));
  const json = JSON.stringify({ ...message, result: { text } });
  return { message, json: inPieces ? [Buffer.from(json.slice(0, 9)), Buffer.from(json.slice(9))] : json };
}

function told(list: Json): string[] {
  const text = typeof list === 'string' ? list : Buffer.concat(list).toString();
  return JSON.parse(text).map(({ id, error }: { id: string; error?: object }) => `${id}${error ? '!' : ''}`);
}

it('has all answers that fit, to the last byte', () => {
  for (const inPieces of [false, true]) {
    const full = answerList([answer('a', MOST - 2 - 1 - 200, inPieces), answer('b', 200)]);
    expect(bytesIn(full)).toBe(MOST);
    expect(told(full)).toEqual(['a', 'b']);
    const over = answerList([answer('a', MOST - 2 - 1 - 199, inPieces), answer('b', 200)]);
    expect(told(over)).toEqual(['a!', 'b']);
  }
});

it('has the first of two long answers, and all short ones', () => {
  const list = answerList([answer('a', 5_000_000, true), answer('b', 5_000_000, true), answer('c', 300_000)]);
  expect(bytesIn(list)).toBeLessThanOrEqual(MOST);
  expect(told(list)).toEqual(['a', 'b!', 'c']);
});

it('keeps room for an answer to every request', () => {
  const ids = Array.from({ length: 100 }, (_, i) => `${'\u0001'.repeat(900)}${i}`);
  const list = answerList(ids.map((id) => answer(id, 100_000)));
  expect(bytesIn(list)).toBeLessThanOrEqual(MOST);
  expect(told(list).map((each) => each.replace('!', ''))).toEqual(ids);
  expect(told(list).filter((each) => each.endsWith('!'))).toHaveLength(18);
});

it('is a string if all answers are strings', () => {
  expect(answerList([answer('a', 100), answer('b', 100)])).toEqual(expect.any(String));
});
