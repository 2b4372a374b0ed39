/** Answers `completion/complete` for the template's path: finds entries whose names begin with what was typed. */
import {
  type Engine,
  EngineFailure,
  filteredInTurns,
  ITEMS_PER_CHECK,
  isWithin,
  mapInTurns,
  type RootInfo,
  type WalkEntry,
  Yielder,
} from '../../../engine/index.ts';
import { TEMPLATE } from './file-uri.ts';
import { BadParams, pathBelow, type ResourceCall } from './resource-call.ts';

const MOST_VALUES = 100;
/** Shorter names are not completed at any depth: too many names begin with a single character. */
const LEAST_CHARACTERS = 2;
/** How many names the search at any depth reads at most. */
const MOST_NAMES = 1000;
const LONGEST_VALUE = 4096;

export async function completePath(call: ResourceCall): Promise<object> {
  const typed = typedPath(call.params);
  const { engine, signal } = call;
  const values = new Set<string>();
  const yielder = new Yielder(signal);
  if (typed.length <= LONGEST_VALUE) {
    for (const root of engine.roots) {
      for (const [index, value] of (await valuesIn(engine, root, typed, signal)).entries()) {
        if (index % ITEMS_PER_CHECK === 0) await yielder.pause();
        values.add(values.has(value) && !isAbsolute(value, root) ? absolute(root, value) : value);
      }
    }
    if (!typed.includes('/') && typed.length >= LEAST_CHARACTERS && values.size < MOST_VALUES) {
      for (const root of engine.roots)
        for (const value of await deepNames(engine, root, typed, signal)) values.add(value);
    }
  }
  const shown = [...values].slice(0, MOST_VALUES);
  return { completion: { values: shown, total: values.size, hasMore: values.size > shown.length } };
}

function typedPath({ ref, argument }: ResourceCall['params']): string {
  const { type, uri } = (ref ?? {}) as Record<string, unknown>;
  const { name, value } = (argument ?? {}) as Record<string, unknown>;
  if (typeof type !== 'string') throw new BadParams('ref must name what to complete');
  if (typeof name !== 'string' || typeof value !== 'string')
    throw new BadParams('argument needs a name and a value');
  if (type !== 'ref/resource' || uri !== TEMPLATE || name !== 'path')
    throw new BadParams(`only path of ${TEMPLATE} can be completed`);
  return value.replace(/^\/+/, '');
}

/** Completes what was typed as a path relative to the root, and also as an absolute path. */
async function valuesIn(
  engine: Engine,
  root: RootInfo,
  typed: string,
  signal: AbortSignal,
): Promise<string[]> {
  const slash = typed.lastIndexOf('/') + 1;
  const [directory, prefix] = [typed.slice(0, slash), typed.slice(slash)];
  const typedAs = { directory, prefix };
  const values = await namesIn(engine, pathBelow(root.path, directory), typedAs, signal);
  const full = `/${typed}`;
  if (typed === '') return values;
  if (isWithin(full, root.path)) {
    return values.concat(await namesIn(engine, `/${directory}`, typedAs, signal));
  }
  const own = pathBelow(root.path, '');
  return own.startsWith(full) ? [...values, own.slice(1)] : values;
}

/** The matching entries of a directory, prefixed with the directory as it was typed. */
async function namesIn(
  engine: Engine,
  path: string,
  { directory, prefix }: { directory: string; prefix: string },
  signal: AbortSignal,
): Promise<string[]> {
  const query = { maxDepth: 1, ignoreFiles: true };
  const { entries } = await orNothing(engine.search.walk(path, query, { signal }));
  const isMeant = ({ path, unnameable }: WalkEntry) => begins(path, prefix) && !unnameable;
  return shownNames(await filteredInTurns(entries, new Yielder(signal), isMeant), directory, signal);
}

function shownNames(
  entries: readonly WalkEntry[],
  directory: string,
  signal: AbortSignal,
): Promise<string[]> {
  return mapInTurns(
    entries,
    new Yielder(signal),
    ({ path, type }) => `${directory}${path}${type === 'directory' ? '/' : ''}`,
  );
}

async function deepNames(
  engine: Engine,
  root: RootInfo,
  typed: string,
  signal: AbortSignal,
): Promise<string[]> {
  const query = { contains: typed, ignoreFiles: true, max: MOST_NAMES };
  const { entries } = await orNothing(engine.search.names(root.path, query, { signal }));
  const meant = entries.filter(
    ({ path, unnameable }) => begins(path.slice(path.lastIndexOf('/') + 1), typed) && !unnameable,
  );
  return shownNames(meant, '', signal);
}

function begins(name: string, prefix: string): boolean {
  return name.toLowerCase().startsWith(prefix.toLowerCase());
}

function absolute(root: RootInfo, value: string): string {
  return pathBelow(root.path, value).slice(1);
}

function isAbsolute(value: string, root: RootInfo): boolean {
  return isWithin(`/${value}`, root.path);
}

/** Nothing where the path does not exist: half-typed paths often do not exist yet. */
async function orNothing<T>(found: Promise<{ entries: readonly T[] }>): Promise<{ entries: readonly T[] }> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind === 'cancelled') throw error;
    return { entries: [] };
  }
}
