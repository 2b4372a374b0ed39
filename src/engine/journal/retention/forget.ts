/**
 * Removes contents from the state directory for good, on the user's word.
 *
 * A line says first what will be gone, so that history, diff and undo can tell it from a loss. Cut off in the
 * middle, it is done to its end by doing it again.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  finishRemoval,
  placesOf,
  removeForGood,
  storedThings,
} from '../../../state/directory/remove-for-good.ts';
import { weightOf } from '../../../state/directory/whole-tree.ts';
import { whenNobodyElse } from '../../access/locks.ts';
import { isWithin } from '../../confine/roots.ts';
import { namesOf, namesToUndo } from '../entries/contents-needed.ts';
import type { JournalEntry } from '../entries/entry.ts';
import { pathsOf } from '../entries/entry.ts';
import { readForgotten } from '../entries/read-entries.ts';
import type { Journal } from '../journal.ts';
import { addCopies } from './forget-copies.ts';
import { type ForgetRequest, type Selection, selection } from './forget-selection.ts';

/** A content that nobody has written to for so long is left over from a server that was killed. */
const IDLE_MS = 3000;
const LOOK_EVERY_MS = 100;

export interface Forgotten {
  /** Contents and things set aside, and what they took on the disk. */
  things: number;
  bytes: number;
  /** What belonged to no entry: kept before commands that did not change it. */
  spare: number;
  /** What can no longer be undone, or not whole; newest first. */
  lost: JournalEntry[];
  /** Contents that stay, because these entries need them. */
  stays: { contents: number; entries: string[] };
  /** Other paths that had the same contents. */
  others: string[];
  /** The path holds something now. */
  stillThere: boolean;
  /** Whose traced contents go too; undefined for all. */
  paths: string[] | undefined;
}

export function forget(journal: Journal, request: ForgetRequest, dryRun: boolean): Promise<Forgotten> {
  const { directory } = journal;
  return whenNobodyElse(`tidy ${directory}`, directory, async () => {
    const entries = journal.entries();
    const given = readForgotten(journal.log).entries;
    const selected = selection(request, entries, given);
    addCopies(directory, request, entries, given, selected);
    const found = placesOfSelected(directory, selected);
    const spare = sparePaths(directory, entries);
    const told = tellingOf(request, entries, selected, found, spare.length);
    if (!dryRun) await removeSelected(journal, selected, found);
    return told;
  });
}

interface Found {
  /** By hash or name. */
  names: Map<string, string[]>;
  inside: { name: string; path: string; at: string }[];
}

function placesOfSelected(directory: string, { names, inside }: Selection): Found {
  const found: Found = { names: new Map(), inside: [] };
  for (const name of names) {
    const places = placesOf(directory, name);
    if (places.length > 0) found.names.set(name, places);
  }
  for (const [name, path] of inside) {
    const at = join(directory, 'aside', name, path);
    if (isStraight(join(directory, 'aside', name), path)) found.inside.push({ name, path, at });
  }
  return found;
}

/** Whether it is there, and no link on the way to it. */
function isStraight(top: string, path: string): boolean {
  let at = top;
  for (const name of path.split('/')) {
    if (!fs.lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return false;
    at = join(at, name);
  }
  return fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined;
}

function sparePaths(directory: string, entries: readonly JournalEntry[]): string[] {
  const needed = namesOf(entries.flatMap(({ changes }) => changes));
  return [...storedThings(directory)].filter(({ name }) => !needed.has(name)).map(({ path }) => path);
}

async function removeSelected(journal: Journal, selected: Selection, found: Found): Promise<void> {
  const { directory, log } = journal;
  const explicit = [...found.names.values()].flat().concat(found.inside.map(({ at }) => at));
  if (explicit.length > 0 || selected.of.length > 0) {
    const inside = found.inside.map(({ name, path }) => [name, path]);
    const line = { at: Date.now(), forgot: [...found.names.keys()], inside, of: selected.of };
    log.append(line);
    await log.flush();
  }
  await removeDrafts(join(directory, 'store'));
  // What was being forgotten when somebody was killed must not come back for the entries that had it.
  finishRemoval(directory, isNeededNow(journal));
  removeForGood(directory, explicit, () => () => false);
  removeForGood(directory, sparePaths(directory, journal.entries()), () => isNeededNow(journal));
}

function isNeededNow(journal: Journal): (name: string) => boolean {
  const needed = namesOf(journal.entries().flatMap(({ changes }) => changes));
  const { names } = readForgotten(journal.log);
  return (name) => needed.has(name) && !names.has(name);
}

/** Contents that are being written are waited for; those that nobody writes any more go. */
async function removeDrafts(store: string): Promise<void> {
  for (const name of draftsIn(store)) {
    const path = join(store, name);
    for (;;) {
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      if (!stat) break;
      if (Math.abs(Date.now() - stat.mtimeMs) > IDLE_MS) {
        fs.rmSync(path, { force: true });
        break;
      }
      await pause(LOOK_EVERY_MS);
    }
  }
}

function draftsIn(store: string): string[] {
  try {
    return fs.readdirSync(store).filter((name) => name.startsWith('.new-'));
  } catch {
    return [];
  }
}

function tellingOf(
  request: ForgetRequest,
  entries: readonly JournalEntry[],
  selected: Selection,
  { names, inside }: Found,
  spare: number,
): Forgotten {
  const gone = new Set([...names.keys(), ...inside.map(({ name }) => name)]);
  const places = [...names.values()].flat().concat(inside.map(({ at }) => at));
  const isGone = (name: string) => gone.has(name);
  const { paths, stays } = selected;
  const others = paths === undefined ? [] : otherPaths(entries, gone, paths);
  return {
    things: names.size + inside.length,
    bytes: places.reduce((sum, place) => sum + weightOf(place), 0),
    spare,
    lost: entries.filter(({ changes }) => [...namesToUndo(changes)].some(isGone)).reverse(),
    stays: { contents: stays.size, entries: [...new Set([...stays.values()].flat())] },
    others,
    stillThere: request.what === 'path' && (paths ?? []).some(isThere),
    paths: paths === undefined ? undefined : [...paths, ...others],
  };
}

/** Whether anything stands at a path. */
export function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Where the same contents were kept for another path. */
function otherPaths(
  entries: readonly JournalEntry[],
  gone: ReadonlySet<string>,
  meant: readonly string[],
): string[] {
  const others = new Set<string>();
  for (const { changes } of entries) {
    for (const change of changes) {
      const own = pathsOf(change).some((path) => meant.some((each) => related(path, each)));
      if (!own && [...namesOf([change])].some((name) => gone.has(name)))
        for (const path of pathsOf(change)) others.add(path);
    }
  }
  return [...others];
}

function related(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}
