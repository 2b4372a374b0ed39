/** Events as OpenTelemetry spans, by the project's own libraries: a bundle of its own, loaded only when asked for. */
import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { TracedPath, TraceEvent } from '../events/event.ts';
import type { OpenTelemetry } from './spans.ts';

const LAST_SENDING_MS = 2000;
const SENT = 0;
const METHOD = 'tools/call';

type SpanAttributes = Record<string, string | number | string[]>;

export const openTelemetry: OpenTelemetry = ({ version, protocol, onProblem }) => {
  const tell = once(onProblem);
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new BasicTracerProvider({
    resource: resourceOf(version),
    spanProcessors: [new BatchSpanProcessor(telling(exporter, tell))],
  });
  const tracer = provider.getTracer('cofferdam', version);
  return {
    send(event, traceparent) {
      try {
        const span = tracer.startSpan(
          isCall(event) ? `${METHOD} ${event.tool}` : `${event.dialect} ${event.tool}`,
          { kind: SpanKind.SERVER, startTime: momentOf(event.at), attributes: attributesOf(event) },
          contextOf(traceparent),
        );
        if (event.outcome === 'failed') {
          span.setStatus({ code: SpanStatusCode.ERROR, ...(event.error && { message: event.error }) });
        }
        span.end(momentOf(event.at + event.ms));
      } catch (error) {
        tell(`a call could not be made into a span: ${(error as Error).message}`);
      }
    },
    close: () => closeInTime(provider, tell),
  };
};

async function closeInTime(provider: BasicTracerProvider, tell: (problem: string) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      tell('the last spans could not be sent in time');
      resolve();
    }, LAST_SENDING_MS);
  });
  // The exporter has reported a failure.
  await Promise.race([provider.shutdown().catch(() => {}), late]);
  clearTimeout(timer);
}

/** What the environment says of the service comes before what we say ourselves. */
function resourceOf(version: string): Resource {
  const ours = resourceFromAttributes({ 'service.name': 'cofferdam', 'service.version': version });
  return ours.merge(detectResources({ detectors: [envDetector] }));
}

function telling(exporter: SpanExporter, tell: (problem: string) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== SENT) tell(`spans are not taken by the collector: ${reasonOf(result.error)}`);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** A refused connection to a name with several addresses comes as one error with several inside. */
function reasonOf(error: Error | undefined): string {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return message || (code === undefined ? 'no reason given' : String(code));
}

/** An undo of the operator's is no call of a client. */
function isCall({ dialect }: TraceEvent): boolean {
  return dialect !== 'cofferdam';
}

function attributesOf(event: TraceEvent): SpanAttributes {
  const attributes: SpanAttributes = {
    ...(isCall(event) && {
      'mcp.method.name': METHOD,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': event.tool,
    }),
    'cofferdam.event': event.id,
    'cofferdam.server': event.server,
    'cofferdam.roots': event.roots,
    'cofferdam.dialect': event.dialect,
    'cofferdam.bytes.in': event.bytesIn,
    'cofferdam.bytes.out': event.bytesOut,
    'cofferdam.tokens.out': event.tokensOut,
    ...pathsByHow(event.paths),
  };
  const known: Record<string, string | number | string[] | undefined> = {
    'mcp.session.id': event.session,
    'error.type': event.error,
    'cofferdam.reason': event.reason,
    'gen_ai.tool.call.arguments': event.arguments,
    'gen_ai.tool.call.result': event.answer,
    'cofferdam.who': event.who,
    'cofferdam.paths.more': event.morePaths,
    'cofferdam.confinement': event.confinement,
    'cofferdam.flags': event.flags,
    'cofferdam.entries': event.entries,
    'cofferdam.note': event.note,
  };
  for (const [name, value] of Object.entries(known)) if (value !== undefined) attributes[name] = value;
  for (const [name, value] of Object.entries(attributes)) attributes[name] = wellFormed(value);
  return attributes;
}

/** `cofferdam.paths.changed` and so on: what a collector can be asked for. */
function pathsByHow(paths: readonly TracedPath[]): Record<string, string[]> {
  const grouped: Record<string, string[]> = {};
  for (const { path, how } of paths) {
    const name = `cofferdam.paths.${how}`;
    grouped[name] ??= [];
    grouped[name].push(path);
  }
  return grouped;
}

/** Half a surrogate pair has no UTF-8. */
function wellFormed<T extends string | number | string[]>(value: T): T {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.replace(/\p{Cs}/gu, '\ufffd') as T;
  return value.map(wellFormed) as T;
}

/** Seconds and nanoseconds: a plain number below the start of the process would be taken as counted from there. */
function momentOf(milliseconds: number): [number, number] {
  const microseconds = Math.round(milliseconds * 1000);
  const seconds = Math.floor(microseconds / 1e6);
  return [seconds, (microseconds - seconds * 1e6) * 1000];
}

function contextOf(traceparent: string | undefined): Context {
  const parts = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(traceparent ?? '');
  if (!parts || /^0+$/.test(parts[1]!) || /^0+$/.test(parts[2]!)) return ROOT_CONTEXT;
  const parent: SpanContext = {
    traceId: parts[1]!,
    spanId: parts[2]!,
    traceFlags: Number.parseInt(parts[3]!, 16) & 1,
    isRemote: true,
  };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

function once(tell: (problem: string) => void): (problem: string) => void {
  let told = false;
  return (problem) => {
    if (!told) tell(problem);
    told = true;
  };
}
