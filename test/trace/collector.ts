/** A small OpenTelemetry collector on this machine: accepts spans over HTTP, as JSON or protobuf, and decodes them. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TakenSpan {
  name: string;
  kind: number;
  traceId: string;
  parentSpanId: string;
  start: bigint;
  end: bigint;
  status: number;
  message: string;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

export interface Collector {
  url: string;
  spans: TakenSpan[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
  close(): void;
}

/** `answer`: the status that the collector answers with, or 'never'. */
export async function startCollector(answer: number | 'never' = 200): Promise<Collector> {
  const spans: TakenSpan[] = [];
  const requests: Collector['requests'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ path: request.url!, headers: request.headers });
    const body = Buffer.concat(chunks);
    const isJson = request.headers['content-type'] === 'application/json';
    spans.push(...(isJson ? spansInJson(body) : spansInProtobuf(body)));
    if (answer === 'never') return;
    response.writeHead(answer, { 'content-type': request.headers['content-type']! });
    response.end(isJson ? '{}' : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, spans, requests, close };
}

type JsonValue = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  arrayValue?: { values: JsonValue[] };
};
type JsonAttributes = { key: string; value: JsonValue }[];

function spansInJson(body: Buffer): TakenSpan[] {
  const { resourceSpans } = JSON.parse(body.toString('utf8'));
  const spans: TakenSpan[] = [];
  for (const { resource, scopeSpans } of resourceSpans) {
    for (const span of scopeSpans.flatMap(({ spans }: { spans: unknown[] }) => spans)) {
      spans.push({
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        parentSpanId: span.parentSpanId ?? '',
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        status: span.status?.code ?? 0,
        message: span.status?.message ?? '',
        attributes: attributesInJson(span.attributes),
        resource: attributesInJson(resource.attributes),
      });
    }
  }
  return spans;
}

function attributesInJson(attributes: JsonAttributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueInJson(value)]));
}

function valueInJson({ stringValue, intValue, doubleValue, arrayValue }: JsonValue): unknown {
  if (arrayValue) return arrayValue.values.map(valueInJson);
  return stringValue ?? doubleValue ?? Number(intValue);
}

/** The field numbers are those of opentelemetry/proto/trace/v1. */
function spansInProtobuf(body: Buffer): TakenSpan[] {
  const spans: TakenSpan[] = [];
  for (const resourceSpans of message(body).bytes(1)) {
    const [resource] = message(resourceSpans).bytes(1);
    for (const span of message(resourceSpans)
      .bytes(2)
      .flatMap((scope) => message(scope).bytes(2))) {
      const fields = message(span);
      const status = message(fields.bytes(15)[0] ?? Buffer.alloc(0));
      spans.push({
        name: text(fields.bytes(5)[0]),
        kind: Number(fields.numbers(6)[0] ?? 0n),
        traceId: fields.bytes(1)[0]!.toString('hex'),
        parentSpanId: fields.bytes(4)[0]?.toString('hex') ?? '',
        start: fields.numbers(7)[0]!,
        end: fields.numbers(8)[0]!,
        status: Number(status.numbers(3)[0] ?? 0n),
        message: text(status.bytes(2)[0]),
        attributes: attributesInProtobuf(fields.bytes(9)),
        resource: attributesInProtobuf(message(resource!).bytes(1)),
      });
    }
  }
  return spans;
}

function attributesInProtobuf(pairs: Buffer[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => [text(message(pair).bytes(1)[0]), valueInProtobuf(message(pair).bytes(2)[0]!)]),
  );
}

function valueInProtobuf(value: Buffer): unknown {
  const fields = message(value);
  const [list] = fields.bytes(5);
  if (list) return message(list).bytes(1).map(valueInProtobuf);
  const [number] = fields.numbers(3);
  return number === undefined ? text(fields.bytes(1)[0]) : Number(number);
}

/** The fields of one protobuf message. */
function message(body: Buffer) {
  const fields: { field: number; value: bigint | Buffer }[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = body[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return body.subarray(at - length, at);
  };
  while (at < body.length) {
    const key = Number(varint());
    const field = key >> 3;
    const wire = key & 7;
    if (wire === 0) fields.push({ field, value: varint() });
    else if (wire === 1) fields.push({ field, value: take(8).readBigUInt64LE() });
    else if (wire === 2) fields.push({ field, value: take(Number(varint())) });
    else if (wire === 5) fields.push({ field, value: BigInt(take(4).readUInt32LE()) });
    else throw new Error(`wire type ${wire}`);
  }
  const of = (field: number) => fields.filter((entry) => entry.field === field).map(({ value }) => value);
  return {
    bytes: (field: number) => of(field) as Buffer[],
    numbers: (field: number) => of(field) as bigint[],
  };
}

function text(bytes: Buffer | undefined): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? Buffer.alloc(0));
}
