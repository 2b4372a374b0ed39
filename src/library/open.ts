/** `open`: takes directories and a few options, and returns files to read, change, search and undo. */
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
import { expandHome } from '../expand-home.ts';
import { defaultStateDirectory } from '../state/directory/default-directory.ts';
import { OpenFiles } from './open-files.ts';
import { type Surroundings, surroundingsFrom } from './surroundings.ts';

export interface OpenOptions {
  /** Refuses all changes. */
  readOnly?: boolean;
  /** Globs as in .gitignore for files that are listed but never opened. `secrets`: the usual key and password files. */
  deny?: readonly string[];
  /** Globs for files that are treated as if they did not exist. */
  hide?: readonly string[];
  /**
   * Where the history is stored, which is needed to undo changes. `true`, the default, means the state directory that
   * the server uses too, `~/.local/state/cofferdam`. A string names another directory. `false` means no history.
   */
  history?: boolean | string;
  /** How much the history keeps, and for how long. Default: 30 days and 1 GiB. */
  keep?: RetentionLimits;
  /** What confines commands. Default: a sandbox without network access, if the system has one. */
  commands?: Omit<CommandSettings, 'environment'>;
  /** Which files have an encoding other than UTF-8. */
  encodings?: readonly EncodingRule[];
  /** Allows changes of Git's configuration and hooks. */
  allowGitConfig?: boolean;
  /** The environment variables: PATH, XDG_STATE_HOME, and those for commands. Default: those of this process. */
  environment?: Surroundings['environment'];
  /** The directory that `~` means. */
  home?: string;
  /** Called with warnings. Default: `process.emitWarning`. */
  log?: Surroundings['log'];
}

/**
 * Opens one or more directories; nothing outside of them can be reached. Relative paths start at the first one. Throws
 * an `EngineFailure` when a directory cannot be opened, and a `StateProblem` when the history cannot be stored.
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
  return { ...root, path: expandHome(root.path, home) };
}

function stateFor(
  roots: readonly RootSpec[],
  { history = true, readOnly = false }: OpenOptions,
  { environment, home }: Surroundings,
): StateSource | undefined {
  if (history === false) return undefined;
  const directory = history === true ? defaultStateDirectory(environment, home) : expandHome(history, home);
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
