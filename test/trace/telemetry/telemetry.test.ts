import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSpans } from '../../../src/trace/telemetry/spans.ts';
import { freePort } from '../../free-port.ts';
import { startCollector } from '../collector.ts';
import { anEvent } from '../events.ts';

afterEach(() => vi.unstubAllEnvs());

/** Opens spans with an environment, which the libraries read themselves. */
function spansWith(environment: Record<string, string>) {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const problems: string[] = [];
  const spans = openSpans(process.env, { version: '1.2.3', onProblem: (problem) => problems.push(problem) });
  return { spans, problems };
}

/** Closes spans without the time limit for the last ones: a busy machine may need longer. */
async function closeAtLeisure(spans: ReturnType<typeof openSpans>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    await spans!.close();
  } finally {
    vi.useRealTimers();
  }
}

async function aCollector(answer?: number | 'never') {
  const collector = await startCollector(answer);
  onTestFinished(() => collector.close());
  return collector;
}

const at = Date.UTC(2025, 10, 16, 12);

describe.each(['http/protobuf', 'http/json'])('a call as a span, over %s', (protocol) => {
  it('carries the facts of the event under their conventional names', async () => {
    const collector = await aCollector();
    const { spans, problems } = spansWith({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    });
    spans!.send(
      anEvent({
        at,
        ms: 1.5,
        session: 's1',
        who: 'anna',
        paths: [
          { path: '/a', how: 'read' },
          { path: '/b\ud800', how: 'changed' },
          { path: '/c', how: 'read' },
        ],
        morePaths: 4,
        confinement: ['policy', 'bubblewrap'],
        entries: ['e1'],
        note: 'noted',
      }),
    );
    await closeAtLeisure(spans);
    expect(problems).toEqual([]);
    expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/traces']);
    expect(collector.spans).toEqual([
      {
        name: 'tools/call read_file',
        kind: 2,
        traceId: expect.stringMatching(/^[\da-f]{32}$/),
        parentSpanId: '',
        start: BigInt(at) * 1_000_000n,
        end: BigInt(at) * 1_000_000n + 1_500_000n,
        status: 0,
        message: '',
        attributes: {
          'mcp.method.name': 'tools/call',
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'read_file',
          'mcp.session.id': 's1',
          'cofferdam.event': 'server-1',
          'cofferdam.server': 'server',
          'cofferdam.roots': ['/home/anna/app'],
          'cofferdam.dialect': 'replay',
          'cofferdam.who': 'anna',
          'cofferdam.paths.read': ['/a', '/c'],
          'cofferdam.paths.changed': ['/b\ufffd'],
          'cofferdam.paths.more': 4,
          'cofferdam.bytes.in': 35,
          'cofferdam.bytes.out': 4150,
          'cofferdam.tokens.out': 1024,
          'cofferdam.confinement': ['policy', 'bubblewrap'],
          'cofferdam.entries': ['e1'],
          'cofferdam.note': 'noted',
        },
        resource: { 'service.name': 'cofferdam', 'service.version': '1.2.3' },
      },
    ]);
  });

  it('is an error with the kind of failure if the call failed', async () => {
    const collector = await aCollector();
    const { spans } = spansWith({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    });
    spans!.send(anEvent({ outcome: 'failed', error: 'outside' }));
    await closeAtLeisure(spans);
    expect(collector.spans).toMatchObject([
      { status: 2, message: 'outside', attributes: { 'error.type': 'outside' } },
    ]);
  });
});

describe('spans', () => {
  it('use the headers, the service name and the resource attributes of the environment', async () => {
    const collector = await aCollector();
    const { spans } = spansWith({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/below`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=files,authorization=Bearer%20abc',
      OTEL_SERVICE_NAME: 'files',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
    });
    spans!.send(anEvent());
    await closeAtLeisure(spans);
    expect(collector.requests).toMatchObject([
      { path: '/below/v1/traces', headers: { 'x-team': 'files', authorization: 'Bearer abc' } },
    ]);
    expect(collector.spans[0]!.resource).toEqual({
      'service.name': 'files',
      'service.version': '1.2.3',
      'deployment.environment.name': 'test',
    });
  });

  it('carry contents only if the event has them', async () => {
    const collector = await aCollector();
    const { spans } = spansWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    spans!.send(anEvent({ arguments: '{"path":"a"}', answer: 'text' }));
    await closeAtLeisure(spans);
    expect(collector.spans[0]!.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"path":"a"}',
      'gen_ai.tool.call.result': 'text',
    });
  });

  it("belong to the client's own trace if its traceparent is valid", async () => {
    const collector = await aCollector();
    const { spans } = spansWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const trace = '0af7651916cd43dd8448eb211c80319c';
    spans!.send(anEvent(), `00-${trace}-b7ad6b7169203331-01`);
    spans!.send(anEvent(), `00-${'0'.repeat(32)}-b7ad6b7169203331-01`);
    spans!.send(anEvent(), 'nonsense');
    await closeAtLeisure(spans);
    expect(collector.spans[0]).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331' });
    expect(collector.spans.slice(1).map(({ parentSpanId }) => parentSpanId)).toEqual(['', '']);
  });

  it('are all sent, even hundreds at once', async () => {
    const collector = await aCollector();
    const { spans, problems } = spansWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    for (let n = 0; n < 700; n++) spans!.send(anEvent({ id: `e${n}` }));
    await closeAtLeisure(spans);
    expect(new Set(collector.spans.map(({ attributes }) => attributes['cofferdam.event'])).size).toBe(700);
    expect(problems).toEqual([]);
  });
});

describe('no spans are made', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };

  it.each([
    ['without a collector', {}],
    ['with an empty address', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    ['when no exporter is wanted', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
    ['when OpenTelemetry is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'true' }],
  ])('%s, and no problem is reported', (_, environment) => {
    const { spans, problems } = spansWith(environment);
    expect(spans).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it.each([
    [
      'another exporter',
      { OTEL_TRACES_EXPORTER: 'zipkin' },
      'OTEL_TRACES_EXPORTER must be otlp or none, not zipkin',
    ],
    ['another protocol', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'http/protobuf or http/json, not grpc'],
    ['an invalid address', { OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' }, 'address must begin with http://'],
  ])('for %s, and the problem is reported', (_, environment, said) => {
    const { spans, problems } = spansWith({ ...endpoint, ...environment });
    expect(spans).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining(said)]);
  });
});

describe('a collector that does not accept spans', () => {
  it('is reported once when it refuses', async () => {
    const collector = await aCollector(403);
    const { spans, problems } = spansWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    for (let n = 0; n < 1100; n++) spans!.send(anEvent());
    await closeAtLeisure(spans);
    expect(collector.requests.length).toBeGreaterThan(1);
    expect(problems).toEqual([expect.stringContaining('the collector does not accept spans: Forbidden')]);
  });

  it.each([
    ['nobody listens', async () => ({ url: `http://127.0.0.1:${await freePort()}` })],
    ['it never answers', () => aCollector('never')],
  ])('is given up at the end when %s', async (_, find) => {
    const { url } = await find();
    const { spans, problems } = spansWith({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    spans!.send(anEvent());
    await spans!.close();
    expect(problems).toHaveLength(1);
  });
});
