/** Opens the state of a fleet and checks it before anything is served. No message repeats the address. */
import { realpathSync } from 'node:fs';
import { StateProblem, type StateSource } from '../../engine/index.ts';
import { isInside } from '../../is-inside.ts';
import { Fleet } from '../../state/postgres/open.ts';
import { StateUnavailable } from '../../state/state.ts';
import type { StateSettings } from '../arguments/options/state-flags.ts';
import type { RootArgument } from '../arguments/roots.ts';
import { UsageError } from '../usage-error.ts';

interface OpenState {
  source: StateSource;
  /** Undefined: the state is a directory. */
  fleet: Fleet | undefined;
}

/** Opens the state for commands that serve. Checks that every directory has a name and that locks hold. */
export async function openFleet(
  { address, journal }: StateSettings,
  roots: readonly RootArgument[],
): Promise<Fleet | undefined> {
  if (address === undefined) return undefined;
  if (!journal) throw new UsageError('--no-journal is not for a fleet: its journal keeps replicas apart');
  for (const { path, name } of roots) {
    if (name === undefined)
      throw new UsageError(`${path}: a fleet needs a name for each directory: ${path}=NAME`);
  }
  return connectToFleet(address, roots, true);
}

/** Opens the state for commands that show and undo. They can only change directories that are given. */
async function openStateOf({ address, directory, roots }: StateSettings): Promise<OpenState> {
  if (address === undefined) return { source: directory, fleet: undefined };
  const fleet = await connectToFleet(address, roots, false);
  return { source: () => fleet.openState(), fleet };
}

/** Runs `use` on the state, and then closes it. */
export async function withState<T>(
  settings: StateSettings,
  use: (source: StateSource) => Promise<T>,
): Promise<T> {
  const { source, fleet } = await openStateOf(settings);
  try {
    return await use(source);
  } finally {
    await fleet?.close();
  }
}

/** `serves`: marks each writable directory as the one with its name, if no directory has the name yet. */
export async function connectToFleet(
  address: string,
  roots: readonly RootArgument[],
  serves: boolean,
): Promise<Fleet> {
  const workspaces = roots.map(({ path, name }) => ({ name: name!, real: realOf(path) }));
  requireApart(workspaces);
  const writable = new Set(roots.flatMap(({ name, writable: may }) => (may ? [name] : [])));
  let fleet: Fleet | undefined;
  try {
    fleet = new Fleet(address, workspaces);
    await fleet.check({ mayMark: ({ name }) => serves && writable.has(name) });
    return fleet;
  } catch (error) {
    await fleet?.close();
    throw new StateProblem(`--state: ${whyNot(error, fleet)}`);
  }
}

/** The reason, without the address. Errors of the system name hosts, but never passwords. */
function whyNot(error: unknown, fleet: Fleet | undefined): string {
  if (!(error instanceof StateUnavailable)) return (error as Error).message;
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return `${fleet?.says} cannot be reached (${code ?? message})`;
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    throw new UsageError(`${path}: no such directory`);
  }
}

/** Fails for nested directories, where a file would have two locks, and for two directories with one name. */
function requireApart(workspaces: readonly { name: string; real: string }[]): void {
  for (const [at, { name, real }] of workspaces.entries()) {
    for (const other of workspaces.slice(0, at)) {
      if (other.name === name) throw new UsageError(`${name} is the name of two directories`);
      const [outer, inner] = real.length < other.real.length ? [real, other.real] : [other.real, real];
      if (isInside(inner, outer)) {
        throw new UsageError(`${inner} is in ${outer}: in a fleet, give the outer directory alone`);
      }
    }
  }
}
