/** The journal and the trace of a server: opened where they can be kept, and said where they cannot. */
import { limits, whyNotStateDirectory } from '../engine/index.ts';
import { openDirectoryState } from '../state/directory/open.ts';
import { TraceLog } from '../trace/log.ts';
import { Recorder } from '../trace/recorder.ts';
import { openSpans } from '../trace/spans.ts';
import type { StateSettings } from './arguments/state-flags.ts';
import { UsageError } from './usage-error.ts';

/** Where the journal and the trace are stored. */
export interface StateLocation {
  /** Undefined where nothing can be stored. */
  directory: string | undefined;
  /** For the start-up line. */
  says: string;
}

/** A directory that was named must work; the usual one need not. */
export function openState(settings: StateSettings, roots: readonly string[]): StateLocation {
  const problem = whyNotStateDirectory(settings.directory, roots);
  if (problem === undefined) return { directory: settings.directory, says: describeLocation(settings) };
  if (settings.named) throw new UsageError(`--state ${problem}`);
  return { directory: undefined, says: `OFF: ${problem}; --state DIR names another place` };
}

function describeLocation({ directory, keep: { bytes, days } }: StateSettings): string {
  const bounds = `at most ${bytes} bytes (what is larger is not changed) and ${days} days`;
  return `kept in ${directory}, ${bounds}; what commands change, up to ${limits.watchedEntries} entries`;
}

export interface RecorderRequest {
  directory: string | undefined;
  /** The directories that are served. */
  roots: string[];
  contents: boolean;
  version: string;
  environment: Readonly<Record<string, string | undefined>>;
  log(line: string): void;
}

export function openRecorder(asked: RecorderRequest): Recorder {
  const { directory, roots, contents, version, environment, log } = asked;
  return new Recorder({
    log: directory === undefined ? undefined : openTrace(directory, log),
    spans: openSpans(environment, { version, onProblem: (problem) => log(`trace: ${problem}`) }),
    server: serverId(),
    roots,
    contents,
  });
}

/** The stored events of all servers on one state directory. */
export function openTrace(directory: string, log: (line: string) => void): TraceLog {
  return new TraceLog(openDirectoryState(directory), { onProblem: (problem) => log(`trace: ${problem}`) });
}

/** Tells servers apart and guards nothing, so it need not be hard to guess, and the start need not wait for it. */
function serverId(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`;
}
