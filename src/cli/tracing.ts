/** The journal and the trace of a server: opened where they can be kept, and said where they cannot. */
import {
  EngineFailure,
  History,
  mostWatchedEntries,
  type Origin,
  whyNotStateDirectory,
} from '../engine/index.ts';
import type { PageSources } from '../server/page/sources.ts';
import { openDirectoryState } from '../state/directory/open.ts';
import { tracing } from '../trace/caller.ts';
import { TraceLog } from '../trace/log.ts';
import { Recorder } from '../trace/recorder.ts';
import { openSpans } from '../trace/spans.ts';
import type { StateSettings } from './arguments/state-flags.ts';
import { byId, takenBack } from './entry-line.ts';
import { UsageError } from './usage-error.ts';

export interface Kept {
  /** Undefined where nothing can be kept. */
  directory: string | undefined;
  /** For the start-up line. */
  says: string;
}

/** A directory that was named must work; the usual one need not. */
export function openState(settings: StateSettings, roots: readonly string[]): Kept {
  const problem = whyNotStateDirectory(settings.directory, roots);
  if (problem === undefined) return { directory: settings.directory, says: describeKept(settings) };
  if (settings.named) throw new UsageError(`--state ${problem}`);
  return { directory: undefined, says: `OFF: ${problem}; --state DIR names another place` };
}

function describeKept({ directory, keep: { bytes, days } }: StateSettings): string {
  const bounds = `at most ${bytes} bytes (what is larger is not changed) and ${days} days`;
  return `kept in ${directory}, ${bounds}; what commands change, up to ${mostWatchedEntries} entries`;
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
  const onProblem = (problem: string) => log(`trace: ${problem}`);
  return new Recorder({
    log: directory === undefined ? undefined : new TraceLog(openDirectoryState(directory), { onProblem }),
    spans: openSpans(environment, { version, onProblem }),
    server: serverId(),
    roots,
    contents,
  });
}

/** Tells servers apart and guards nothing, so it need not be hard to guess, and the start need not wait for it. */
function serverId(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`;
}

/** The history of a state directory; who undoes something is in the trace, as who calls a tool is. */
export class TracedHistory extends History {
  readonly #recorder: Recorder;

  constructor(stateDirectory: string, recorder: Recorder) {
    super(stateDirectory);
    this.#recorder = recorder;
  }

  async undoFor(id: string, { force = false, origin = {} }: { force?: boolean; origin?: Origin } = {}) {
    const entry = await this.entry(id);
    const full = { ...origin, dialect: 'cofferdam', tool: takenBack(id, byId(await this.entries())).verb };
    const call = { ...full, roots: entry?.roots ?? [], arguments: { entry: id, force } };
    const trace = this.#recorder.begin(call);
    try {
      const outcome = await this.undo(id, { force, caller: tracing(trace, full) });
      const obstacles = outcome && !outcome.done ? outcome.obstacles : [];
      for (const { path } of obstacles) trace.touched({ path, how: 'looked-at' });
      trace.answered({ bytesOut: 0, ...(!outcome?.done && { failure: 'in-the-way' }) });
      return outcome;
    } catch (error) {
      const failure = error instanceof EngineFailure ? error.facts.kind : 'internal';
      trace.answered({ bytesOut: 0, failure });
      throw error;
    }
  }
}

/** What the page shows, of all servers on one state directory. */
export function pageSources(directory: string, recorder: Recorder, log: (line: string) => void): PageSources {
  const onProblem = (problem: string) => log(`trace: ${problem}`);
  const history = new TracedHistory(directory, recorder);
  const missing = { path: '', why: 'there is no such entry any more', forceable: false };
  return {
    events: new TraceLog(openDirectoryState(directory), { onProblem }),
    history: {
      entry: (id) => history.entry(id),
      diff: (id) => history.diff(id),
      plan: async (id) => (await history.plan(id)) ?? { steps: [], obstacles: [missing], diffs: [] },
      undo: async (id, options) =>
        (await history.undoFor(id, options)) ?? { done: false, obstacles: [missing] },
    },
  };
}
