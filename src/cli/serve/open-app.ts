/** Opens the directories of a server, as its options say. Leaves out those that it cannot open, with a warning. */
import { resolve } from 'node:path';
import type { Dialect } from '../../dialects/dialect.ts';
import { dialects } from '../../dialects/index.ts';
import { Engine, EngineFailure, type Failure, type RootSpec, type StateSource } from '../../engine/index.ts';
import type { App, ServedClientRoots } from '../../server/mcp/app.ts';
import type { Fleet } from '../../state/postgres/open.ts';
import { openRecorder } from '../../trace/open.ts';
import type { Recorder } from '../../trace/recorder.ts';
import type { Options } from '../arguments/parse.ts';
import type { Environment, Surroundings } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';
import { locateState } from './locate-state.ts';

export interface OpenApp extends App {
  trace: Recorder;
  /** Where the journal and the trace are kept. Undefined: nowhere. */
  source: StateSource | undefined;
  fleet: Fleet | undefined;
  /** Says whether the journal keeps changes, and where, for the operator. */
  journal: string;
  /** Why changes cannot be undone although the operator did not ask for that. */
  whyNoUndo: string | undefined;
  /** The directories that could be opened. */
  roots: readonly RootSpec[];
  /** Why each of the others could not be opened. */
  skipped: readonly string[];
}

/** `fleet` is already open and checked. Default: the state is a directory. */
export function openApp(
  asked: readonly RootSpec[],
  options: Options,
  surroundings: Surroundings,
  fleet?: Fleet,
): OpenApp {
  for (const dialect of options.dialects) {
    const problem = dialect.checkSettings?.(surroundings.environment);
    if (problem !== undefined) throw new UsageError(problem);
  }
  const { opened: app, skipped } = openPossible(asked, (roots) =>
    openOn(roots, options, surroundings, fleet),
  );
  if (!app) throw new UsageError(skipped.join('; '));
  requireServed(options.dialects, app);
  for (const warning of options.warnings) surroundings.log(`warning: ${warning}`);
  for (const why of skipped) surroundings.log(`warning: ${why}; it is left out`);
  return { ...app, skipped };
}

/** Opens the directories that can be opened. `opened` is undefined when some were asked for and none can be. */
function openPossible<T>(
  asked: readonly RootSpec[],
  open: (roots: readonly RootSpec[]) => T,
): { opened: T | undefined; skipped: string[] } {
  const skipped: string[] = [];
  let roots = withoutRepeats(asked);
  for (;;) {
    try {
      return { opened: open(roots), skipped };
    } catch (error) {
      const bad = unopened(error, roots);
      // The failure is not about a directory: the rules about what to withhold cannot be read, so serve nothing.
      if (!bad) throw error instanceof EngineFailure ? new UsageError(error.message) : error;
      skipped.push(bad.why);
      roots = roots.filter((root) => root !== bad.root);
      if (roots.length === 0) return { opened: undefined, skipped };
    }
  }
}

/** Serves the directories that a client names. Close it when the server ends. */
export interface OpenClientRoots extends ServedClientRoots {
  close(): Promise<void>;
}

export function openClientRoots(options: Options, surroundings: Surroundings): OpenClientRoots {
  const { environment, log } = surroundings;
  const { state } = options;
  const engines: Engine[] = [];
  const open = (roots: readonly RootSpec[]) => {
    const { source, says } = locateState(
      state,
      roots.map(({ path }) => path),
      undefined,
    );
    if (state.journal && source === undefined) log(`changes: ${says}`);
    return openEngine(roots, options, environment, state.journal ? source : undefined);
  };
  return {
    canChange: !isReadOnly(options),
    canUndo: !isReadOnly(options) && state.journal,
    open: (paths) => {
      if (paths.length === 0) return undefined;
      const asked = paths.map((path) => ({ path, writable: true }));
      const { opened, skipped } = openPossible(asked, open);
      for (const why of skipped) log(`the client's roots: ${why}; it is left out`);
      if (opened) {
        engines.push(opened);
        log(`the client's roots: ${opened.roots.map(({ path }) => path).join(', ')}`);
      }
      return opened;
    },
    close: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
  };
}

/** Merges directories that are given twice. The result is read-only if one of the two is. */
function withoutRepeats(asked: readonly RootSpec[]): readonly RootSpec[] {
  const byPath = new Map<string, RootSpec>();
  for (const root of asked) {
    const path = resolve(root.path);
    const before = byPath.get(path);
    byPath.set(path, before ? { ...before, writable: before.writable && root.writable } : root);
  }
  return [...byPath.values()];
}

function openOn(
  roots: readonly RootSpec[],
  options: Options,
  surroundings: Surroundings,
  fleet: Fleet | undefined,
): OpenApp {
  const { version, home, environment, log } = surroundings;
  const { state } = options;
  const paths = roots.map(({ path }) => path);
  const kept = locateState(state, paths, fleet);
  const { source } = kept;
  const journal = state.journal && roots.length > 0 ? source : undefined;
  const engine = openEngine(roots, options, environment, journal);
  const served = engine.roots.map(({ real }) => real);
  const mayChange = engine.roots.some(({ writable }) => writable);
  return {
    ...{ version, engine, home, log, roots, skipped: [] },
    dialects: options.dialects,
    errors: options.errors,
    maxTokens: options.maxTokens,
    settings: environment,
    trace: openRecorder({ source, roots: served, contents: state.contents, version, environment, log }),
    source,
    fleet,
    journal: state.journal ? kept.says : 'OFF: --no-journal',
    whyNoUndo: mayChange && state.journal && source === undefined ? `changes: ${kept.says}` : undefined,
  };
}

/** Fails with an `EngineFailure` when a directory cannot be opened. */
export function openEngine(
  roots: readonly RootSpec[],
  options: Options,
  environment: Environment,
  journal?: StateSource,
): Engine {
  const commands = { ...options.commands, environment };
  const readOnly = isReadOnly(options);
  const { keep } = options.state;
  const { allowGitConfig, deny, hide, encodings } = options;
  return new Engine({
    roots,
    mayBeEmpty: roots.length === 0,
    readOnly,
    allowGitConfig,
    deny,
    hide,
    encodings,
    commands,
    keep,
    ...(journal !== undefined && { journal }),
  });
}

/** If no tool changes anything, the wall can refuse every change, too. */
function isReadOnly({ readOnly, dialects: chosen }: Options): boolean {
  return readOnly || chosen.every(({ tools }) => tools.every(({ hints }) => hints.readOnly));
}

export async function closeApp({ engine, trace, fleet }: OpenApp): Promise<void> {
  await engine.close();
  await trace.close();
  await fleet?.close();
}

/** Which directory an error is about, and why the server cannot serve it. */
function unopened(error: unknown, roots: readonly RootSpec[]): { root: RootSpec; why: string } | undefined {
  if (!(error instanceof EngineFailure) || !('path' in error.facts)) return undefined;
  const { path, kind } = error.facts;
  const root = roots.find((each) => each.path === path);
  const { why = kind } = error.facts as { why?: string };
  return root && { root, why: `${path}: ${NOT_SERVED[kind] ?? `cannot be opened (${why})`}` };
}

const NOT_SERVED: Readonly<Partial<Record<Failure['kind'], string>>> = {
  'not-found': 'no such directory',
  'not-a-directory': 'not a directory',
  permission: 'cannot be read by this user',
};

/** Fails unless some dialect can reach every directory. */
function requireServed(chosen: readonly Dialect[], { engine }: App): void {
  const count = engine.roots.length;
  if (count === 1 || chosen.some(({ servesOne }) => !servesOne)) return;
  const names = chosen.map(({ name }) => name).join(' and ');
  const others = dialects.flatMap(({ name, servesOne }) => (servesOne ? [] : [name])).join(', ');
  throw new UsageError(
    `${names} ${chosen.length === 1 ? 'serves' : 'serve'} one directory, and ${count} are given: give one, or name a dialect too that serves them all (${others})`,
  );
}
