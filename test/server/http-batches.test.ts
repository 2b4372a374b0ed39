/** Batches over HTTP: each message of a batch gets its own answer, as on stdio. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf, HttpFixture, hello } from './http-fixture.ts';

const MOST = 8 * 1024 * 1024;

interface Told {
  id: unknown;
  result?: object;
  error?: { code: number; message: string };
}

let fixture: HttpFixture;
beforeEach(async () => {
  fixture = await HttpFixture.open();
});
afterEach(() => fixture.close());

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });
const call = (id: unknown, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

/** The answers to a batch as `id: code`, in the order of the ids. */
async function answersTo(batch: unknown[]): Promise<string[]> {
  const talk = await fixture.session('/mcp', {}, '2025-03-26');
  const answer = await fixture.post(batch, talk.headers);
  expect(answer.status).toBe(200);
  return (answer.json as unknown as Told[]).map(({ id, error }) => `${id}: ${error?.code ?? 'ok'}`).sort();
}

describe('a batch', () => {
  it('gets answers to its valid messages, even if others are invalid', async () => {
    const batch = [ping(1), 7, call(2, 'echo'), { foo: 1 }, { jsonrpc: '2.0', id: 3 }, [ping(4)]];
    expect(await answersTo(batch)).toEqual([
      '1: ok',
      '2: ok',
      '3: -32600',
      'null: -32600',
      'null: -32600',
      'null: -32600',
    ]);
  });

  it('gets an error for each message if all are nonsense', async () => {
    expect(await answersTo([1, 'two', null])).toEqual(['null: -32600', 'null: -32600', 'null: -32600']);
  });

  it('gets an answer only to the first of two requests with the same id', async () => {
    expect(await answersTo([ping(1), ping(1), ping(2)])).toEqual(['1: -32600', '1: ok', '2: ok']);
  });

  it('may not contain initialize, but the other messages are answered', async () => {
    expect(await answersTo([{ ...hello('2025-03-26'), id: 1 }, ping(2)])).toEqual(['1: -32600', '2: ok']);
  });

  it('may not reuse the id of a call that is under way', async () => {
    const talk = await fixture.session('/mcp', {}, '2025-03-26');
    const first = fixture.post(call(1, 'wait'), talk.headers);
    await fixture.held.started();
    const answers = (await fixture.post([call(1, 'echo'), call(2, 'echo')], talk.headers)).json;
    expect((answers as unknown as Told[]).map(({ id, error }) => [id, error?.code])).toEqual([
      [1, -32600],
      [2, undefined],
    ]);
    fixture.held.release();
    expect((await first).json.result!.content![0]!.text).toBe('waited');
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'is refused as a whole in a session of %s',
    async (version) => {
      const talk = await fixture.session('/mcp', {}, version);
      for (const batch of [[], [1], [ping(1)], Array(101).fill(ping(1))]) {
        const { status, json } = await fixture.post(batch, talk.headers);
        expect([status, json.id, json.error!.code]).toEqual([400, null, -32600]);
        expect(json.error!.message).toContain('batches are not supported');
      }
    },
  );

  describe('with answers that are too long together', () => {
    const batch = [call(1, 'large'), call(2, 'large'), call(3, 'echo')];

    it('gets them as separate events', async () => {
      const talk = await fixture.session('/mcp', {}, '2025-03-26');
      const { headers, text } = await fixture.post(batch, talk.headers);
      expect(headers['content-type']).toBe('text/event-stream');
      const events = eventsOf(text);
      expect(events.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
      for (const { id, result } of events)
        expect(result!.content![0]!.text).toHaveLength(id === 3 ? 4 : 7 * 1024 * 1024);
    });

    it('gets an error for each that does not fit if the client accepts no events', async () => {
      const talk = await fixture.session('/mcp', {}, '2025-03-26');
      const { headers, text, json } = await fixture.post(batch, {
        ...talk.headers,
        accept: 'application/json',
      });
      expect(headers['content-type']).toBe('application/json');
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST);
      const told = json as unknown as Told[];
      expect(told.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
      expect(told.find(({ id }) => id === 3)!.result).toBeDefined();
      const [refused, ...others] = told.filter(({ error }) => error);
      expect(others).toEqual([]);
      expect(refused!.error).toMatchObject({ code: -32603, message: expect.stringContaining('too large') });
    });

    it('gets one list as long as they fit', async () => {
      const talk = await fixture.session('/mcp', {}, '2025-03-26');
      const { headers, json } = await fixture.post([call(1, 'large'), call(2, 'echo')], talk.headers);
      expect(headers['content-type']).toBe('application/json');
      expect((json as unknown as Told[]).map(({ id }) => id).sort()).toEqual([1, 2]);
    });
  });

  it('is told without a session where batches are possible', async () => {
    const { status, json } = await fixture.post([ping(1)], { 'mcp-protocol-version': '2026-07-28' });
    expect([status, json.error!.code]).toEqual([400, -32600]);
    expect(json.error!.message).toContain('only in a session of 2025-03-26');
  });
});
