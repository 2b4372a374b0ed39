/** Batches over HTTP: each message of a batch is answered for itself, as on stdio. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpFixture, hello } from './http-fixture.ts';

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
  it('of good messages and others has the good ones answered', async () => {
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

  it('of nothing but nonsense is answered message by message', async () => {
    expect(await answersTo([1, 'two', null])).toEqual(['null: -32600', 'null: -32600', 'null: -32600']);
  });

  it('with one id twice has the first of the two answered', async () => {
    expect(await answersTo([ping(1), ping(1), ping(2)])).toEqual(['1: -32600', '1: ok', '2: ok']);
  });

  it('with an opening in it has the rest answered', async () => {
    expect(await answersTo([{ ...hello('2025-03-26'), id: 1 }, ping(2)])).toEqual(['1: -32600', '2: ok']);
  });

  it('may not use the id of a call that is under way', async () => {
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
    'is refused as such in a session of %s, whatever is in it',
    async (version) => {
      const talk = await fixture.session('/mcp', {}, version);
      for (const batch of [[], [1], [ping(1)], Array(101).fill(ping(1))]) {
        const { status, json } = await fixture.post(batch, talk.headers);
        expect([status, json.id, json.error!.code]).toEqual([400, null, -32600]);
        expect(json.error!.message).toContain('batches are not supported');
      }
    },
  );

  it('without a session is told where batches are answered', async () => {
    const { status, json } = await fixture.post([ping(1)], { 'mcp-protocol-version': '2026-07-28' });
    expect([status, json.error!.code]).toEqual([400, -32600]);
    expect(json.error!.message).toContain('only in a session of 2025-03-26');
  });
});
