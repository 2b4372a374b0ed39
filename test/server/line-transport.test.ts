/** The stdio transport, byte by byte: where messages begin and end, and how it answers what is not a message. */
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { LineTransport } from '../../src/server/stdio/line-transport.ts';

const soon = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

async function connect() {
  const input = new PassThrough();
  const output = new PassThrough();
  const received: unknown[] = [];
  let closed = false;
  const transport = new LineTransport(input, output);
  transport.onmessage = (message) => {
    received.push(message);
  };
  transport.onclose = () => {
    closed = true;
  };
  await transport.start();
  /** The output since this was last called. One read may give all of it, or only the first piece. */
  const sent = () => {
    let text = '';
    for (let piece = output.read(); piece !== null; piece = output.read()) text += piece;
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  return { input, transport, received, sent, isClosed: () => closed };
}

const ping = (id: number | string, params?: object) => ({
  jsonrpc: '2.0' as const,
  id,
  method: 'ping',
  ...(params ? { params } : {}),
});
const line = (message: unknown) => `${JSON.stringify(message)}\n`;

describe('very many lines at once', () => {
  it.each([
    ['that are not JSON', 'x\n'],
    ['that are not messages', '{}\n'],
    ['that are messages', line(ping(1))],
  ])('are read in turns and in order: %s', async (_, each) => {
    const { input, received } = await connect();
    let turns = 0;
    input.write(each.repeat(40_000) + line(ping('last')));
    while ((received.at(-1) as { id?: unknown } | undefined)?.id !== 'last') {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    expect(turns).toBeGreaterThan(2);
  });

  it('are not parsed if they are empty', async () => {
    const { input, received } = await connect();
    const parse = vi.spyOn(JSON, 'parse');
    try {
      input.write('\n'.repeat(1000) + line(ping(1)));
      while (received.length === 0) await soon();
      expect(parse).toHaveBeenCalledTimes(1);
    } finally {
      parse.mockRestore();
    }
  });
});

describe('messages', () => {
  it('arrive whole however the bytes are cut, even within a character', async () => {
    const message = ping(1, { text: 'ä€🧱\u2028\u0000 "quoted" \\n' });
    const bytes = Buffer.from(line(message).repeat(2));
    for (const size of [1, 2, 3, 5, 7, 64, bytes.length]) {
      const { input, received } = await connect();
      for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
      await soon();
      expect(received, `in pieces of ${size}`).toEqual([message, message]);
    }
  });

  it('are refused if they are not UTF-8, and the next one is read', async () => {
    const wrong = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]];
    const { input, received, sent } = await connect();
    for (const bytes of wrong) {
      const [before, after] = line(ping(1, { text: '|' })).split('|') as [string, string];
      input.write(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]));
    }
    input.write(line(ping(2, { text: '\ufffd' })));
    await soon();
    expect(received).toEqual([ping(2, { text: '\ufffd' })]);
    const error = { code: -32700, message: 'Parse error: the line is not valid UTF-8' };
    expect(sent()).toEqual(wrong.map(() => ({ jsonrpc: '2.0', id: null, error })));
  });

  it('may begin with a byte-order mark, but a NUL byte is not JSON', async () => {
    const { input, received, sent } = await connect();
    input.write(`\ufeff${line(ping(1))}`);
    input.write(line(ping(2)).replace('ping', 'pi\0ng'));
    input.write(line(ping(3)));
    await soon();
    expect(received).toEqual([ping(1), ping(3)]);
    expect(sent()).toMatchObject([{ id: null, error: { code: -32700 } }]);
  });

  it('may arrive many at once, with the last one incomplete', async () => {
    const { input, received } = await connect();
    const many = Array.from({ length: 500 }, (_, i) => ping(i));
    const text = many.map(line).join('');
    input.write(text.slice(0, -9));
    await soon();
    expect(received).toEqual(many.slice(0, -1));
    input.write(text.slice(-9));
    await soon();
    expect(received).toEqual(many);
  });

  it('may end in CRLF, and empty lines mean nothing', async () => {
    const { input, received, sent } = await connect();
    input.write(`\r\n\n  \n${JSON.stringify(ping(1))}\r\n\r\n${JSON.stringify(ping(2))} \t\n`);
    await soon();
    expect(received).toEqual([ping(1), ping(2)]);
    expect(sent()).toEqual([]);
  });

  it('count even without a newline at the very end', async () => {
    const { input, received } = await connect();
    input.end(JSON.stringify(ping(1)));
    await soon();
    expect(received).toEqual([ping(1)]);
  });

  it('may carry members that JSON-RPC does not define', async () => {
    const { input, received } = await connect();
    input.write(line({ ...ping(1), extra: true }));
    await soon();
    expect(received).toEqual([ping(1)]);
  });
});

describe('what is not a message gets an error, and the conversation continues', () => {
  it.each([
    ['not JSON', 'hello', -32700, null],
    ['half of a message', '{"jsonrpc":"2.0","id":1', -32700, null],
    ['bytes that are not text', Buffer.from([0xff, 0xfe, 0x00]), -32700, null],
    ['a number', '3', -32600, null],
    ['null', 'null', -32600, null],
    ['a batch', `[${JSON.stringify(ping(1))}]`, -32600, null],
    ['an empty batch', '[]', -32600, null],
    ['no version', '{"id":1,"method":"ping"}', -32600, 1],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1],
    ['no method', '{"jsonrpc":"2.0","id":"a"}', -32600, 'a'],
    ['a method that is not a string', '{"jsonrpc":"2.0","id":1,"method":7}', -32600, 1],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600, 1],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    [
      'a _meta that is not an object',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":3}}',
      -32602,
      1,
    ],
    [
      'a progress token that is none',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
      -32602,
      1,
    ],
    ['a tool without a name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602, 1],
    [
      'arguments that are a list',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[]}}',
      -32602,
      1,
    ],
  ] as const)('%s', async (_, text, code, id) => {
    const { input, received, sent } = await connect();
    input.write(text);
    input.write('\n');
    input.write(line(ping(2)));
    await soon();
    expect(sent()).toEqual([{ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } }]);
    expect(received).toEqual([ping(2)]);
  });

  it('a line that is longer than the limit is dropped as it arrives, and gets an error', async () => {
    const { input, received, sent } = await connect();
    const piece = Buffer.alloc(32 * 1024 * 1024, 'x');
    for (let i = 0; i < 9; i++) {
      input.write(piece);
      await soon();
    }
    input.write(`\n${line(ping(1))}`);
    await soon();
    expect(sent()).toEqual([
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: expect.stringContaining('268435456 bytes') },
      },
    ]);
    expect(received).toEqual([ping(1)]);
  });

  it('a malformed notification is ignored', async () => {
    const { input, received, sent } = await connect();
    input.write(line({ jsonrpc: '2.0', method: 'notifications/progress', params: { _meta: 3 } }));
    input.write(line(ping(1)));
    await soon();
    expect(sent()).toEqual([]);
    expect(received).toEqual([ping(1)]);
  });
});

describe('answers', () => {
  it('become an error if they are longer than a string can be', async () => {
    const { transport, sent } = await connect();
    // The error that JSON.stringify throws beyond half a gigabyte, without the half gigabyte.
    const tooLong = {
      toJSON: () => 'x'.repeat(2 ** 30),
    };
    await transport.send({ jsonrpc: '2.0', id: 1, result: { tooLong } });
    await soon();
    expect(sent()).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: expect.stringContaining('too large') } },
    ]);
  });

  it('are still sent after the input has ended', async () => {
    const { input, transport, sent, isClosed } = await connect();
    input.end(line(ping(1)) + line(ping(2)));
    await soon();
    await transport.send({ jsonrpc: '2.0', id: 2, result: {} });
    await soon();
    expect(isClosed()).toBe(false);
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    await soon();
    expect(isClosed()).toBe(true);
    expect(sent().map(({ id }) => id)).toEqual([2, 1]);
  });

  it('are not expected for cancelled calls', async () => {
    const { input, isClosed } = await connect();
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    input.end(line(ping(1)) + line(cancelled));
    await soon();
    expect(isClosed()).toBe(true);
  });
});

describe('long messages', () => {
  const long = ping(1, { text: 'ä"\\\n'.repeat(400_000), list: Array.from({ length: 50_000 }, (_, i) => i) });

  it('are read in turns, and no message overtakes another', async () => {
    const { input, received, sent } = await connect();
    input.write(`${line(ping(0))}${line(long)}${line(ping(2))}{broken\n${line({ ...long, id: 3 })}`);
    input.write(line(ping(4)));
    while (received.length < 5) await soon();
    expect(received).toEqual([ping(0), long, ping(2), { ...long, id: 3 }, ping(4)]);
    expect(sent().map(({ error }) => error.code)).toEqual([-32700]);
  });

  it('do not block other work while one is read', async () => {
    const { input, received } = await connect();
    input.write(line(ping(1, { text: 'ä"\\\n'.repeat(4_000_000) })));
    let turns = 0;
    while (received.length === 0) {
      await soon();
      turns++;
    }
    expect(turns).toBeGreaterThan(1);
  });

  it('are read at the end even if their line does not end', async () => {
    const { input, received, isClosed } = await connect();
    input.end(JSON.stringify({ ...long, id: undefined, method: 'notifications/x' }));
    while (!isClosed()) await soon();
    expect(received).toHaveLength(1);
  });

  it('are refused if they are not UTF-8 or not JSON', async () => {
    const { input, received, sent } = await connect();
    const wrong = Buffer.from(line(long));
    wrong[1_000_000] = 0xff;
    input.write(wrong);
    input.write(`${JSON.stringify(long).slice(0, -1)}]\n${line(ping(2))}`);
    while (received.length === 0) await soon();
    await soon();
    expect(received).toEqual([ping(2)]);
    expect(sent().map(({ error }) => error.message)).toEqual([
      'Parse error: the line is not valid UTF-8',
      'Parse error: the line is not valid JSON',
    ]);
  });
});
