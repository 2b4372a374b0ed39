/** `open`: directories and a few options in, files that can be read, changed, searched and undone out. */
import {
  type CommandSettings,
  type EncodingRule,
  Engine,
  type RetentionLimits,
  type RootSpec,
  StateProblem,
  type StateSource,
  whyNotStateDirectory,
} from '../engine/index.ts';
import { defaultStateDirectory } from '../state/directory/default-directory.ts';
import { OpenFiles } from './open-files.ts';
import { fromHome, type Surroundings, surroundingsFrom } from './surroundings.ts';

export interface OpenOptions {
  /** Nothing can be changed. */
  readOnly?: boolean;
  /** Globs as in .gitignore: listed, but never opened. `secrets` stands for the usual places of keys and passwords. */
  deny?: readonly string[];
  /** The same, but not there at all. */
  hide?: readonly string[];
  /**
   * Where what changes replace is kept, so that it can be undone. Default, and `true`: the state directory that the
   * server uses too, `~/.local/state/cofferdam`. A text names another directory. `false`: nothing can be undone.
   */
  history?: boolean | string;
  /** How much the history keeps, and for how long. Default: 30 days and 1 GiB. */
  keep?: RetentionLimits;
  /** What confines commands. By default a sandbox where there is one, without the network. */
  commands?: Omit<CommandSettings, 'environment'>;
  /** Files that are in another encoding than UTF-8. */
  encodings?: readonly EncodingRule[];
  /** Git's configuration and hooks may be changed. */
  allowGitConfig?: boolean;
  /** Where PATH, XDG_STATE_HOME and the variables that commands get come from. Default: this process. */
  environment?: Surroundings['environment'];
  /** What `~` stands for. */
  home?: string;
  /** Takes warnings. Default: `process.emitWarning`. */
  log?: Surroundings['log'];
}

/**
 * Opens one directory or several; nothing outside of them can be reached. Paths that are not absolute start at the
 * first one. Throws an `EngineFailure` when a directory cannot be opened, and a `StateProblem` when the history cannot
 * be kept.
 */
export async function open(
  directories: string | readonly (string | RootSpec)[],
  options: OpenOptions = {},
): Promise<OpenFiles> {
  const { history: _, environment: __, home: ___, log: ____, ...rules } = options;
  const surroundings = surroundingsFrom(options);
  const { environment, home } = surroundings;
  const roots = [directories].flat().map((each) => rootOf(each, home));
  if (roots.length === 0) throw new RangeError('open needs at least one directory');
  const source = stateFor(roots, options, surroundings);
  const commands = { ...options.commands, environment };
  const engine = new Engine({ ...rules, roots, commands, ...(source !== undefined && { journal: source }) });
  return new OpenFiles(engine, { ...surroundings, source, sandbox: commands.sandbox });
}

function rootOf(given: string | RootSpec, home: string): RootSpec {
  const root = typeof given === 'string' ? { path: given, writable: true } : given;
  return { ...root, path: fromHome(root.path, home) };
}

function stateFor(
  roots: readonly RootSpec[],
  { history = true, readOnly = false }: OpenOptions,
  { environment, home }: Surroundings,
): StateSource | undefined {
  if (history === false) return undefined;
  const directory = history === true ? defaultStateDirectory(environment, home) : fromHome(history, home);
  const problem = whyNotStateDirectory(
    directory,
    roots.map(({ path }) => path),
  );
  if (problem === undefined) return directory;
  if (readOnly) return undefined;
  throw new StateProblem(
    `the history cannot be kept: ${problem}; name another place with { history: DIRECTORY }, or do without with { history: false }`,
  );
}
