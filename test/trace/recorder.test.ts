import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDirectoryState } from '../../src/state/directory/open.ts';
import type { TraceEvent } from '../../src/trace/events/event.ts';
import { TraceLog } from '../../src/trace/log.ts';
import { Recorder, type RecorderOptions } from '../../src/trace/recorder.ts';
import { aStateDirectory, filesIn, linesIn } from './events.ts';

function recording(options: Partial<RecorderOptions> = {}) {
  const events: TraceEvent[] = [];
  const parents: (string | undefined)[] = [];
  const clock = { now: Date.UTC(2025, 10, 16) };
  const recorder = new Recorder({
    server: 'srv',
    roots: ['/app'],
    contents: false,
    now: () => clock.now,
    spans: {
      send: (event, traceparent) => {
        events.push(event);
        parents.push(traceparent);
      },
      close: async () => {},
    },
    ...options,
  });
  return { recorder, events, parents, clock };
}

const call = { dialect: 'replay', tool: 'read_file', arguments: { path: 'é.txt' } };

describe('a recorded call', () => {
  it('becomes one event with what it touched, how it ended and what it cost', () => {
    const { recorder, events, clock } = recording();
    const trace = recorder.begin({ ...call, session: 'abc', who: 'anna' });
    trace.touched({ path: '/app/é.txt', how: 'read', bytes: 10, links: 2 });
    clock.now += 12.3456;
    trace.answered({ bytesOut: 40, text: 'ninechars' });
    expect(events).toEqual([
      {
        id: 'srv-1',
        at: Date.UTC(2025, 10, 16),
        server: 'srv',
        roots: ['/app'],
        session: 'abc',
        who: 'anna',
        dialect: 'replay',
        tool: 'read_file',
        paths: [{ path: '/app/é.txt', how: 'read', bytes: 10, links: 2 }],
        outcome: 'ok',
        brief: { path: 'é.txt' },
        ms: 12.346,
        bytesIn: Buffer.byteLength('{"path":"é.txt"}'),
        bytesOut: 40,
        tokensOut: 3,
      },
    ]);
  });

  it('has its journal entries, its confinement and its notes, if there are any', () => {
    const { recorder, events } = recording();
    const trace = recorder.begin(call);
    trace.madeEntry('e1');
    trace.madeEntry('e1');
    trace.madeEntry('e2');
    trace.confinedBy(['policy', 'bubblewrap']);
    trace.noted('one');
    trace.noted('two');
    trace.answered({ bytesOut: 0 });
    expect(events[0]).toMatchObject({
      entries: ['e1', 'e2'],
      confinement: ['policy', 'bubblewrap'],
      note: 'one; two',
    });
  });

  it('that failed has the kind of failure and a short reason without secrets', () => {
    const { recorder, events } = recording();
    const reason = `curl --token=hunter2 is not allowed ${'x '.repeat(1000)}`;
    recorder.begin(call).answered({ bytesOut: 5, failure: 'not-found', reason });
    expect(events).toMatchObject([{ outcome: 'failed', error: 'not-found' }]);
    expect(events[0]!.reason).toMatch(/^curl --token=••• is not allowed x /);
    expect(events[0]!.reason).toHaveLength(501);
  });

  it('has a number, and ends only once', () => {
    const { recorder, events } = recording();
    const first = recorder.begin(call);
    recorder.begin(call).answered({ bytesOut: 1 });
    first.answered({ bytesOut: 2 });
    first.answered({ bytesOut: 3 });
    first.touched({ path: '/late', how: 'read' });
    expect(events.map(({ id, bytesOut }) => [id, bytesOut])).toEqual([
      ['srv-2', 1],
      ['srv-1', 2],
    ]);
    expect(events[1]!.paths).toEqual([]);
  });

  it('has its tokens estimated from the bytes if there is no text', () => {
    const { recorder, events } = recording();
    recorder.begin(call).answered({ bytesOut: 401 });
    expect(events[0]!.tokensOut).toBe(101);
  });

  it('is timed by the system clock by default', () => {
    const { events, recorder } = recording({ now: undefined as never });
    const before = Date.now();
    recorder.begin(call).answered({ bytesOut: 1 });
    expect(events[0]!.at).toBeGreaterThanOrEqual(before);
    const after = Date.now();
    expect(events[0]!.at).toBeLessThanOrEqual(after);
    expect(events[0]!.ms).toBeLessThanOrEqual(after - before + 1);
  });

  it.each([
    ['none', undefined, 0],
    ['a text', 'x', 3],
    ['something that has no JSON', { n: 1n }, 0],
  ])('has the size of unusual arguments: %s', (_, args, bytesIn) => {
    const { recorder, events } = recording();
    recorder.begin({ ...call, arguments: args }).answered({ bytesOut: 1 });
    expect(events[0]!.bytesIn).toBe(bytesIn);
  });

  it("passes on the client's traceparent if it is a string", () => {
    const { recorder, parents } = recording();
    recorder.begin({ ...call, traceparent: 'tp' }).answered({ bytesOut: 1 });
    recorder.begin({ ...call, traceparent: { x: 1 } }).answered({ bytesOut: 1 });
    expect(parents).toEqual(['tp', undefined]);
  });
});

describe('the paths of a call', () => {
  it('are marked as looked at only if nothing else was done there', () => {
    const { recorder, events } = recording();
    const trace = recorder.begin(call);
    trace.touched({ path: '/app/a', how: 'read' });
    trace.touched({ path: '/app/a', how: 'looked-at' });
    trace.touched({ path: '/app/b', how: 'looked-at' });
    trace.touched({ path: '/app/b', how: 'changed' });
    trace.touched({ path: '/app/c', how: 'looked-at' });
    trace.answered({ bytesOut: 1 });
    expect(events[0]!.paths).toEqual([
      { path: '/app/a', how: 'read' },
      { path: '/app/b', how: 'changed' },
      { path: '/app/c', how: 'looked-at' },
    ]);
  });

  it('are named once for each way of touching them, with the largest number of bytes reported', () => {
    const { recorder, events } = recording();
    const trace = recorder.begin(call);
    for (let n = 0; n < 1000; n++) trace.touched({ path: '/app/a', how: 'read', bytes: n % 7 });
    trace.touched({ path: '/app/a', how: 'changed' });
    trace.touched({ path: '/app/a', how: 'read' });
    trace.answered({ bytesOut: 1 });
    expect(events[0]!.paths).toEqual([
      { path: '/app/a', how: 'read', bytes: 6 },
      { path: '/app/a', how: 'changed' },
    ]);
    expect(events[0]).not.toHaveProperty('morePaths');
  });

  it('are the first 50; each of the others is counted once', () => {
    const { recorder, events } = recording();
    const trace = recorder.begin(call);
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 200; n++) trace.touched({ path: `/app/${n}`, how: 'read' });
    }
    trace.answered({ bytesOut: 1 });
    expect(events[0]!.paths.map(({ path }) => path)).toEqual(
      Array.from({ length: 50 }, (_, n) => `/app/${n}`),
    );
    expect(events[0]!.morePaths).toBe(150);
  });

  it('include what was changed or refused, however much was looked at before', () => {
    const { recorder, events } = recording();
    const trace = recorder.begin(call);
    for (let n = 0; n < 60; n++) trace.touched({ path: `/app/${n}`, how: 'read' });
    trace.touched({ path: '/app/changed', how: 'changed' });
    trace.touched({ path: '/etc/passwd', how: 'refused' });
    trace.answered({ bytesOut: 1, failure: 'outside' });
    expect(events[0]!.paths).toHaveLength(50);
    expect(events[0]!.paths.slice(-3)).toEqual([
      { path: '/app/47', how: 'read' },
      { path: '/app/changed', how: 'changed' },
      { path: '/etc/passwd', how: 'refused' },
    ]);
    expect(events[0]!.morePaths).toBe(12);
  });

  it('are truncated if a client sends very long ones', () => {
    const { recorder, events } = recording();
    const trace = recorder.begin(call);
    trace.touched({ path: 'x'.repeat(5_000_000), how: 'refused' });
    trace.answered({ bytesOut: 1, failure: 'bad-path' });
    expect(events[0]!.paths[0]!.path).toBe(`${'x'.repeat(4096)}…`);
  });
});

describe('long arguments that are recorded', () => {
  const recorded = (sent: unknown) => {
    const { recorder, events } = recording({ contents: true });
    recorder.begin({ ...call, arguments: sent }).answered({ bytesIn: 0, bytesOut: 0 });
    return events[0]!.arguments;
  };

  it('are not read beyond the part that is recorded', () => {
    const unread = {
      get oldText() {
        throw new Error('nobody needs it');
      },
    };
    const sent = { edits: [{ oldText: 'x'.repeat(10_000) }, unread] };
    const beginning = '{"edits":[{"oldText":"';
    expect(recorded(sent)).toBe(`${beginning}${'x'.repeat(8192 - beginning.length)}…`);
  });

  it.each([
    [{ edits: Array.from({ length: 5000 }, (_, i) => ({ oldText: `ä"${i}\n`, newText: null, n: i % 7 })) }],
    [{ list: Array(20_000).fill([]), more: 'x' }],
    [Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`"${i}"`, { true: true }]))],
    [{ ['n'.repeat(9000)]: 1 }],
    [{ short: [1, 'two', null, { three: [true, false] }], ['__proto__']: 'x' }],
    [{ exactly: 'x'.repeat(8192 - '{"exactly":""}'.length) }],
  ])('are the beginning of their JSON', (sent) => {
    const json = JSON.stringify(sent);
    expect(recorded(sent)).toBe(json.length > 8192 ? `${json.slice(0, 8192)}…` : json);
  });
});

describe('contents', () => {
  const secret = 'hunter2';
  const asked = { ...call, arguments: { path: 'a', content: secret } };

  it('are not stored by default', async () => {
    const state = aStateDirectory();
    const { recorder } = recording({ log: new TraceLog(openDirectoryState(state)), spans: undefined });
    const trace = recorder.begin(asked);
    trace.touched({ path: '/app/a', how: 'changed', bytes: 7 });
    trace.answered({ bytesOut: 7, text: secret });
    await recorder.close();
    const [name] = filesIn(state);
    const [line] = linesIn(state, name!);
    expect(line).not.toContain(secret);
    expect(Object.keys(JSON.parse(line!))).not.toContain('arguments');
    expect(join(state, name!)).not.toContain(secret);
  });

  it('are recorded on request, truncated', () => {
    const { recorder, events } = recording({ contents: true });
    recorder.begin(asked).answered({ bytesOut: 7, text: secret });
    recorder.begin(call).answered({ bytesOut: 7, text: 'y'.repeat(100_000) });
    expect(events[0]).toMatchObject({ arguments: '{"path":"a","content":"hunter2"}', answer: 'hunter2' });
    expect(events[1]!.answer).toBe(`${'y'.repeat(8192)}…`);
    expect(events[1]!.tokensOut).toBe(25_000);
  });
});

describe('a recorder without a log and without spans', () => {
  it('accepts any call, and closes', async () => {
    const { recorder } = recording({ spans: undefined });
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    recorder.begin({ ...call, arguments: circular }).answered({ bytesOut: 1 });
    await recorder.close();
  });
});
