/** Long answers are written in turns, and give the same bytes as in one turn. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { isLong, jsonInTurns } from '../../src/server/mcp/messages/json-in-turns.ts';
import { LineTransport } from '../../src/server/stdio/line-transport.ts';

function answerWith(text: string, more: object = {}) {
  return { jsonrpc: '2.0' as const, id: 1, result: { content: [{ type: 'text', text }], ...more } };
}

async function inTurns(message: object): Promise<string> {
  return Buffer.concat(await jsonInTurns(message)).toString();
}

it('gives what JSON.stringify gives', async () => {
  const emoji = '😀\n"\\\u0001é'.repeat(50_000);
  const structuredContent = {
    files: [{ a: [1, { b: undefined }, []] }, {}],
    none: undefined,
    empty: [],
    n: null,
  };
  for (const message of [
    answerWith(emoji),
    answerWith(`x${emoji}`, { structuredContent, isError: true }),
    answerWith('\ud800'.repeat(200_000)),
    answerWith('', { _meta: {} }),
  ])
    expect(await inTurns(message)).toBe(JSON.stringify(message));
});

it('lets the next turn of the event loop begin', async () => {
  const message = answerWith('\u0001漢'.repeat(2_000_000));
  expect(isLong(message)).toBe(true);
  expect(isLong(answerWith('short'))).toBe(false);
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  await jsonInTurns(message);
  clearInterval(counting);
  expect(turns).toBeGreaterThan(0);
});

it.each([
  { type: 'text', text: '' },
  { type: 'image', data: '', mimeType: 'image/png' },
  { type: 'audio', data: '', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'file:///a', text: '' } },
  { type: 'resource', resource: { uri: 'file:///a', blob: '' } },
])('recognises every kind of long content: %j', (item) => {
  const long = JSON.parse(JSON.stringify(item).replace('""', `"${'x'.repeat(200_000)}"`));
  expect(isLong({ result: { content: [item] } })).toBe(false);
  expect(isLong({ result: { content: [item, long] } })).toBe(true);
});

it('keeps each answer on its own line, and reports one that is too long', async () => {
  const output = new PassThrough();
  const wire = new LineTransport(new PassThrough(), output);
  let written = '';
  output.on('data', (chunk: Buffer) => {
    written += chunk.toString('latin1');
  });
  wire.start();
  const long = 'ab\n'.repeat(200_000);
  await Promise.all([
    wire.send(answerWith(long)),
    wire.send({ jsonrpc: '2.0', id: 2, result: {} }),
    wire.send(answerWith(`${long}more`)),
    wire.send({ ...answerWith('\u0001'.repeat(2_000_000)), id: 3 }),
  ]);
  // Short lines are written at the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  const messages = written
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(messages).toHaveLength(4);
  expect(messages).toContainEqual(answerWith(long));
  expect(messages).toContainEqual(answerWith(`${long}more`));
  expect(messages.find(({ id }) => id === 3)).toMatchObject({ error: { code: -32603 } });
});
