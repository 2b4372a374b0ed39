/** Sends events as OpenTelemetry spans if the environment names a collector. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundleDir } from '../../bundle-directory.ts';
import type { TraceEvent } from '../events/event.ts';

export interface SpanSink {
  /** Returns at once: spans are collected and sent in the background. */
  send(event: TraceEvent, traceparent?: string): void;
  /** Sends the collected spans, and drops what is left after two seconds. */
  close(): Promise<void>;
}

export interface SpanSettings {
  /** The version of the program. */
  version: string;
  /** Called once when spans cannot be sent. */
  onProblem(problem: string): void;
}

export type OpenTelemetry = (settings: SpanSettings & { protocol: Protocol }) => SpanSink;

export type Protocol = 'http/protobuf' | 'http/json';

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined when the environment names no collector or disables tracing; then the libraries are not loaded. */
export function openSpans(environment: Environment, settings: SpanSettings): SpanSink | undefined {
  const set = (name: string) => environment[name]?.trim() || undefined;
  const endpoint = set('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? set('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === undefined) return undefined;
  if (set('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const exporters = (set('OTEL_TRACES_EXPORTER') ?? 'otlp').split(',').map((name) => name.trim());
  if (exporters.includes('none')) return undefined;
  const protocol =
    set('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? set('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
  try {
    if (!exporters.includes('otlp'))
      throw new Error(`OTEL_TRACES_EXPORTER must be otlp or none, not ${exporters}`);
    if (!isProtocol(protocol)) {
      throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not ${protocol}`);
    }
    // With another address, the library would silently send to a collector on this machine.
    if (!/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
      throw new Error("the collector's address must begin with http:// or https://");
    }
    const load = createRequire(import.meta.url);
    const { openTelemetry } = load(join(bundleDir, 'telemetry.cjs')) as { openTelemetry: OpenTelemetry };
    return openTelemetry({ ...settings, protocol });
  } catch (error) {
    settings.onProblem(`no spans are sent: ${(error as Error).message}`);
    return undefined;
  }
}

function isProtocol(name: string): name is Protocol {
  return name === 'http/protobuf' || name === 'http/json';
}
