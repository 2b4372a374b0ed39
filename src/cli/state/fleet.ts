/** The state of a fleet: opened and checked before anything is served. No message repeats its address. */
import { realpathSync } from 'node:fs';
import { StateProblem, type StateSource } from '../../engine/index.ts';
import { isInside } from '../../is-inside.ts';
import { Fleet } from '../../state/postgres/open.ts';
import { StateUnavailable } from '../../state/state.ts';
import type { StateSettings } from '../arguments/options/state-flags.ts';
import type { RootArgument } from '../arguments/roots.ts';
import { UsageError } from '../usage-error.ts';

export interface OpenState {
  source: StateSource;
  /** The fleet, where the state is one. */
  fleet: Fleet | undefined;
}

/** For programs that serve: every directory has a name, and locks are known to hold. */
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

/** For programs that look and undo: only the directories that are given can be changed. */
async function openStateOf({ address, directory, roots }: StateSettings): Promise<OpenState> {
  if (address === undefined) return { source: directory, fleet: undefined };
  const fleet = await connectToFleet(address, roots, false);
  return { source: () => fleet.openState(), fleet };
}

/** Runs `use` on the state, and closes what was opened for that. */
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

/** `serves`: each directory becomes the one that its name means, where none is yet. */
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

/** What is known of the reason, without the address: errors of the system name hosts, and never passwords. */
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

/** A file in two workspaces would have two locks, and a name in two directories would have one. */
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
