/** Opens the trace of a server, or of a program that offers the tools itself. */
import { openState, type StateSource } from '../engine/index.ts';
import { TraceLog } from './log.ts';
import { Recorder } from './recorder.ts';
import { openSpans } from './telemetry/spans.ts';

export interface RecorderRequest {
  source: StateSource | undefined;
  /** The served directories. */
  roots: string[];
  contents: boolean;
  version: string;
  environment: Readonly<Record<string, string | undefined>>;
  log(line: string): void;
}

export function openRecorder(asked: RecorderRequest): Recorder {
  const { source, roots, contents, version, environment, log } = asked;
  return new Recorder({
    log: source === undefined ? undefined : openTrace(source, log),
    spans: openSpans(environment, { version, onProblem: (problem) => log(`trace: ${problem}`) }),
    server: newServerId(),
    roots,
    contents,
  });
}

/** The stored events of all servers that share a state. */
export function openTrace(source: StateSource, log: (line: string) => void): TraceLog {
  return new TraceLog(openState(source), { onProblem: (problem) => log(`trace: ${problem}`) });
}

/** The id only tells servers apart, so it may be guessable, and the start need not wait for a secure random number. */
function newServerId(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`;
}
