/**
 * Removes contents from the state for good, on the user's word.
 *
 * A line says first what will be gone, so that history, diff and undo can tell it from a loss. After an interruption,
 * the same request finishes the work.
 */
import { lstatSync } from 'node:fs';
import { isWithin } from '../../confine/roots.ts';
import { namesOf, namesToUndo } from '../entries/contents-needed.ts';
import type { JournalEntry } from '../entries/entry.ts';
import { pathsOf } from '../entries/touched-paths.ts';
import type { Journal } from '../journal.ts';
import { addCopies } from './forget-copies.ts';
import { type ForgetRequest, type ForgetSelection, selection } from './forget-selection.ts';
import { neededOf, storedIn } from './retention.ts';

export interface Forgotten {
  /** Contents and things set aside, and what they took on the disk. */
  things: number;
  bytes: number;
  /** Contents that belonged to no entry. */
  spare: number;
  /** The entries that can no longer be undone, or not whole; newest first. */
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
  return journal.locks.hold([journal.tidyLock], async () => {
    const { entries, forgotten } = await journal.read();
    const given = forgotten.entries;
    const selected = selection(request, entries, given);
    await addCopies(journal.state.contents, request, entries, given, selected);
    const found = await findSelected(journal, selected);
    const spare = await spareNames(journal);
    const told = tellingOf(request, entries, selected, found, spare.length);
    if (!dryRun) await removeSelected(journal, selected, found);
    return told;
  });
}

/** What is there of a selection, with what it takes. */
interface FoundContents {
  /** By hash or name. */
  names: Map<string, number>;
  inside: { name: string; path: string; bytes: number }[];
}

async function findSelected(
  { state: { contents } }: Journal,
  selected: ForgetSelection,
): Promise<FoundContents> {
  const found: FoundContents = { names: new Map(), inside: [] };
  for (const name of selected.names) {
    const bytes = await contents.sizeOf(name);
    if (bytes !== undefined) found.names.set(name, bytes);
  }
  for (const [name, path] of selected.inside) {
    const bytes = contents.trees?.sizeInside(name, path);
    if (bytes !== undefined) found.inside.push({ name, path, bytes });
  }
  return found;
}

/** What belongs to no entry. */
async function spareNames(journal: Journal): Promise<string[]> {
  const stored = await storedIn(journal.state.contents);
  const { entries } = await journal.read();
  const needed = namesOf(entries.flatMap(({ changes }) => changes));
  return [...stored.keys()].filter((name) => !needed.has(name));
}

async function removeSelected(
  journal: Journal,
  selected: ForgetSelection,
  found: FoundContents,
): Promise<void> {
  const { log } = journal;
  const { contents } = journal.state;
  if (found.names.size > 0 || found.inside.length > 0 || selected.of.length > 0) {
    const inside = found.inside.map(({ name, path }): [string, string] => [name, path]);
    log.append({ at: Date.now(), forgot: [...found.names.keys()], inside, of: selected.of });
    await log.flush();
  }
  for (const { name, path } of found.inside) contents.trees?.eraseInside(name, path);
  const spare = await spareNames(journal);
  await contents.erase([...found.names.keys(), ...spare], async () => neededOf(await journal.read()));
}

function tellingOf(
  request: ForgetRequest,
  entries: readonly JournalEntry[],
  selected: ForgetSelection,
  { names, inside }: FoundContents,
  spare: number,
): Forgotten {
  const gone = new Set([...names.keys(), ...inside.map(({ name }) => name)]);
  const sizes = [...names.values(), ...inside.map(({ bytes }) => bytes)];
  const isGone = (name: string) => gone.has(name);
  const { paths, stays } = selected;
  const others = paths === undefined ? [] : otherPaths(entries, gone, paths);
  return {
    things: names.size + inside.length,
    bytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    spare,
    lost: entries.filter(({ changes }) => [...namesToUndo(changes)].some(isGone)).reverse(),
    stays: { contents: stays.size, entries: [...new Set([...stays.values()].flat())] },
    others,
    stillThere: request.what === 'path' && (paths ?? []).some(isThere),
    paths: paths === undefined ? undefined : [...paths, ...others],
  };
}

/** Whether anything is at a path. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
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
      const own = pathsOf({ changes: [change] }).some((path) => meant.some((each) => related(path, each)));
      if (!own && [...namesOf([change])].some((name) => gone.has(name)))
        for (const path of pathsOf({ changes: [change] })) others.add(path);
    }
  }
  return [...others];
}

function related(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}
