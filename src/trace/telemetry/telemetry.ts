/** Sends events with OpenTelemetry's own libraries. This is a separate bundle, loaded only when it is needed. */
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
  const report = once(onProblem);
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new BasicTracerProvider({
    resource: resourceOf(version),
    spanProcessors: [new BatchSpanProcessor(reporting(exporter, report))],
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
        report(`a call could not be sent as a span: ${(error as Error).message}`);
      }
    },
    close: () => closeInTime(provider, report),
  };
};

async function closeInTime(provider: BasicTracerProvider, report: (problem: string) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      report('the last spans could not be sent in time');
      resolve();
    }, LAST_SENDING_MS);
  });
  // The exporter has already reported a failure.
  await Promise.race([provider.shutdown().catch(() => {}), late]);
  clearTimeout(timer);
}

/** What the environment says about the service overrides our own values. */
function resourceOf(version: string): Resource {
  const ours = resourceFromAttributes({ 'service.name': 'cofferdam', 'service.version': version });
  return ours.merge(detectResources({ detectors: [envDetector] }));
}

function reporting(exporter: SpanExporter, report: (problem: string) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== SENT) report(`the collector does not accept spans: ${reasonOf(result.error)}`);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** If a host has several addresses and all refuse, the error has no message of its own, only a code. */
function reasonOf(error: Error | undefined): string {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return message || (code === undefined ? 'no reason given' : String(code));
}

/** Whether a client made the call. The operator's undos have the dialect `cofferdam`. */
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

/** One attribute for each way of touching a path (`cofferdam.paths.changed` …): collectors can filter by it. */
function pathsByHow(paths: readonly TracedPath[]): Record<string, string[]> {
  const grouped: Record<string, string[]> = {};
  for (const { path, how } of paths) {
    const name = `cofferdam.paths.${how}`;
    grouped[name] ??= [];
    grouped[name].push(path);
  }
  return grouped;
}

/** Replaces lone surrogates, which UTF-8 cannot encode. */
function wellFormed<T extends string | number | string[]>(value: T): T {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.replace(/\p{Cs}/gu, '\ufffd') as T;
  return value.map(wellFormed) as T;
}

/** Seconds and nanoseconds. The library would take a small plain number as counted from the start of the process. */
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

function once(report: (problem: string) => void): (problem: string) => void {
  let reported = false;
  return (problem) => {
    if (!reported) report(problem);
    reported = true;
  };
}
