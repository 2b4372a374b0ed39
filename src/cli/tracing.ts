/** The journal and the trace of a server: opened where they can be kept, and said where they cannot. */
import { limits, openState, type StateSource, whyNotStateDirectory } from '../engine/index.ts';
import type { Fleet } from '../state/postgres/open.ts';
import { TraceLog } from '../trace/log.ts';
import { Recorder } from '../trace/recorder.ts';
import { openSpans } from '../trace/spans.ts';
import type { StateSettings } from './arguments/state-flags.ts';
import { UsageError } from './usage-error.ts';

/** Where the journal and the trace are stored. */
export interface StateLocation {
  /** Undefined where nothing can be stored. */
  source: StateSource | undefined;
  /** For the start-up line. */
  says: string;
}

/** A directory that was named must work; the usual one need not. */
export function locateState(
  settings: StateSettings,
  roots: readonly string[],
  fleet: Fleet | undefined,
): StateLocation {
  if (fleet) return { source: () => fleet.openState(), says: describeLocation(settings, fleet.says) };
  const problem = whyNotStateDirectory(settings.directory, roots);
  if (problem === undefined) {
    return { source: settings.directory, says: describeLocation(settings, settings.directory) };
  }
  if (settings.named) throw new UsageError(`--state ${problem}`);
  return { source: undefined, says: `OFF: ${problem}; --state DIR names another place` };
}

function describeLocation({ keep: { bytes, days } }: StateSettings, where: string): string {
  const bounds = `at most ${bytes} bytes (what is larger is not changed) and ${days} days`;
  return `kept in ${where}, ${bounds}; what commands change, up to ${limits.watchedEntries} entries`;
}

export interface RecorderRequest {
  source: StateSource | undefined;
  /** The directories that are served. */
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
    server: serverId(),
    roots,
    contents,
  });
}

/** The stored events of all servers that share a state. */
export function openTrace(source: StateSource, log: (line: string) => void): TraceLog {
  return new TraceLog(openState(source), { onProblem: (problem) => log(`trace: ${problem}`) });
}

/** Tells servers apart and guards nothing, so it need not be hard to guess, and the start need not wait for it. */
function serverId(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`;
}
