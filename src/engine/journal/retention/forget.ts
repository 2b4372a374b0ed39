/**
 * Removes contents from the state for good when the user asks for it.
 *
 * First a line says what will be gone, so that history, diff and undo can tell a forgotten content from a lost one.
 * After an interruption, the same request finishes the work.
 */
import { lstatSync } from 'node:fs';
import { isWithin } from '../../confine/roots.ts';
import { contentNames, contentNamesToUndo } from '../entries/contents-needed.ts';
import type { JournalEntry } from '../entries/entry.ts';
import { touchedPaths } from '../entries/touched-paths.ts';
import type { Journal } from '../journal.ts';
import { addCopies } from './forget-copies.ts';
import { type ForgetRequest, type ForgetSelection, selection } from './forget-selection.ts';
import { isNeededIn, storedIn } from './retention.ts';

export interface ForgetReport {
  /** How many contents and things set aside were removed. */
  things: number;
  /** How much room they took on the disk. */
  bytes: number;
  /** Contents that belonged to no entry. */
  unreferenced: number;
  /** The entries that can no longer be undone, or only in part; newest first. */
  lost: JournalEntry[];
  /** Contents that stay, because these entries need them. */
  stays: { contents: number; entries: string[] };
  /** Other paths that had the same contents. */
  others: string[];
  /** Whether something is at the path now. */
  stillThere: boolean;
  /** The trace must also forget the contents of calls that touched these paths; undefined for all calls. */
  paths: string[] | undefined;
}

export function forget(journal: Journal, request: ForgetRequest, dryRun: boolean): Promise<ForgetReport> {
  return journal.locks.hold([journal.tidyLock], async () => {
    const { entries, forgotten } = await journal.read();
    const given = forgotten.entries;
    const selected = selection(request, entries, given);
    await addCopies(journal.state.contents, request, entries, given, selected);
    const found = await findSelected(journal, selected);
    const unreferenced = await unreferencedNames(journal);
    const report = reportOf(request, entries, selected, found, unreferenced.length);
    if (!dryRun) await removeSelected(journal, selected, found);
    return report;
  });
}

/** The selected things that exist, with their sizes. */
interface FoundContents {
  /** Sizes in bytes, by hash or name. */
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

/** The contents that belong to no entry. */
async function unreferencedNames(journal: Journal): Promise<string[]> {
  const stored = await storedIn(journal.state.contents);
  const { entries } = await journal.read();
  const needed = contentNames(entries.flatMap(({ changes }) => changes));
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
  const unreferenced = await unreferencedNames(journal);
  await contents.erase([...found.names.keys(), ...unreferenced], async () =>
    isNeededIn(await journal.read()),
  );
}

function reportOf(
  request: ForgetRequest,
  entries: readonly JournalEntry[],
  selected: ForgetSelection,
  { names, inside }: FoundContents,
  unreferenced: number,
): ForgetReport {
  const gone = new Set([...names.keys(), ...inside.map(({ name }) => name)]);
  const sizes = [...names.values(), ...inside.map(({ bytes }) => bytes)];
  const isGone = (name: string) => gone.has(name);
  const { paths, stays } = selected;
  const others = paths === undefined ? [] : otherPaths(entries, gone, paths);
  return {
    things: names.size + inside.length,
    bytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    unreferenced,
    lost: entries.filter(({ changes }) => [...contentNamesToUndo(changes)].some(isGone)).reverse(),
    stays: { contents: stays.size, entries: [...new Set([...stays.values()].flat())] },
    others,
    stillThere: request.what === 'path' && (paths ?? []).some(isThere),
    paths: paths === undefined ? undefined : [...paths, ...others],
  };
}

export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The other paths that had contents which are now gone. */
function otherPaths(
  entries: readonly JournalEntry[],
  gone: ReadonlySet<string>,
  meant: readonly string[],
): string[] {
  const others = new Set<string>();
  for (const { changes } of entries) {
    for (const change of changes) {
      const paths = touchedPaths(change);
      const own = paths.some((path) => meant.some((each) => related(path, each)));
      if (!own && [...contentNames([change])].some((name) => gone.has(name)))
        for (const path of paths) others.add(path);
    }
  }
  return [...others];
}

function related(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}
