/** The journal and the trace of a server: opened where they can be kept, and said where they cannot. */
import { type Engine, History, type Origin, whyNotStateDirectory } from '../engine/index.ts';
import type { PageSources } from '../server/page/sources.ts';
import { tracing } from '../trace/caller.ts';
import { TraceLog } from '../trace/log.ts';
import { Recorder } from '../trace/recorder.ts';
import { openSpans } from '../trace/spans.ts';
import type { StateSettings } from './state.ts';
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
  if (problem === undefined) return { directory: settings.directory, says: `kept in ${settings.directory}` };
  if (settings.named) throw new UsageError(`--state ${problem}`);
  return { directory: undefined, says: `OFF: ${problem}; --state DIR names another place` };
}

export interface RecorderRequest {
  directory: string | undefined;
  engine: Engine;
  settings: StateSettings;
  version: string;
  environment: Readonly<Record<string, string | undefined>>;
  log(line: string): void;
}

export function openRecorder(asked: RecorderRequest): Recorder {
  const { directory, engine, settings, version, environment, log } = asked;
  const onProblem = (problem: string) => log(`trace: ${problem}`);
  return new Recorder({
    log: directory === undefined ? undefined : new TraceLog(directory, { onProblem }),
    spans: openSpans(environment, { version, onProblem }),
    server: serverId(),
    roots: engine.roots.map(({ real }) => real),
    contents: settings.contents,
  });
}

/** Tells servers apart and guards nothing, so it need not be hard to guess, and the start need not wait for it. */
function serverId(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`;
}

/** The history of a state directory; who undoes something is in the trace, as who calls a tool is. */
export class TracedHistory extends History {
  readonly #log: TraceLog;
  readonly #server = serverId();

  constructor(stateDirectory: string, onProblem: (problem: string) => void) {
    super(stateDirectory);
    this.#log = new TraceLog(stateDirectory, { onProblem });
  }

  async undoFor(id: string, { force = false, origin = {} }: { force?: boolean; origin?: Origin } = {}) {
    const full = { ...origin, dialect: 'cofferdam', tool: 'undo' };
    const roots = (await this.entry(id))?.roots ?? [];
    const recorder = new Recorder({ log: this.#log, server: this.#server, roots, contents: false });
    const trace = recorder.begin({ ...full, arguments: { entry: id, force } });
    try {
      const outcome = await this.undo(id, { force, caller: tracing(trace, full) });
      trace.answered({ bytesOut: 0, ...(!outcome?.done && { failure: 'in-the-way' }) });
      return outcome;
    } finally {
      trace.answered({ bytesOut: 0, failure: 'internal' });
    }
  }

  close(): void {
    this.#log.close();
  }
}

/** What the page shows, of all servers on one state directory. */
export function pageSources(directory: string, log: (line: string) => void): PageSources {
  const onProblem = (problem: string) => log(`trace: ${problem}`);
  const history = new TracedHistory(directory, onProblem);
  const missing = { path: '', why: 'there is no such entry any more', forceable: false };
  return {
    events: new TraceLog(directory, { onProblem }),
    history: {
      entry: (id) => history.entry(id),
      diff: (id) => history.diff(id),
      plan: async (id) => (await history.plan(id)) ?? { steps: [], obstacles: [missing], diffs: [] },
      undo: async (id, options) =>
        (await history.undoFor(id, options)) ?? { done: false, obstacles: [missing] },
    },
  };
}
