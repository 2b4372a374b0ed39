/** Selects what to forget: the contents of some entries, those of a path, or all of them. */
import { basename, dirname, join, relative, resolve } from 'node:path';
import { realOf } from '../../../real-path.ts';
import { hashedFilesAt } from '../../confine/content/hashed-files.ts';
import { isWithin } from '../../confine/roots.ts';
import { rawOf } from '../../confine/scan/raw-names.ts';
import { contentNames, contentNamesOfRemoved, neededElsewhere } from '../entries/contents-needed.ts';
import type { Change, JournalEntry, Removed } from '../entries/entry.ts';
import { touchedPaths } from '../entries/touched-paths.ts';

/** The hash of no bytes: an empty file holds nothing to forget, and many entries need it. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export type ForgetRequest =
  | { what: 'all' }
  | { what: 'entries'; ids: readonly string[] }
  | { what: 'path'; path: string };

export interface ForgetSelection {
  /** Contents by their hash, things set aside by their name. */
  names: Set<string>;
  /** Parts of things set aside: the name of the thing, and the path below it. */
  inside: [name: string, path: string][];
  /** The entries that the user named. */
  of: string[];
  /** The trace forgets the contents of calls that touched these paths; undefined for all calls. */
  paths: string[] | undefined;
  /** Contents that stay, each with the ids of the entries that need it. */
  stays: Map<string, string[]>;
}

/** `given`: the entries that the user named in earlier requests. */
export function selection(
  request: ForgetRequest,
  entries: readonly JournalEntry[],
  given: ReadonlySet<string>,
): ForgetSelection {
  const selected = selectedBy(request, entries, given);
  selected.names.delete(EMPTY);
  return selected;
}

function selectedBy(
  request: ForgetRequest,
  entries: readonly JournalEntry[],
  given: ReadonlySet<string>,
): ForgetSelection {
  switch (request.what) {
    case 'all':
      return {
        ...nothing(),
        names: contentNames(entries.flatMap(({ changes }) => changes)),
        of: entries.map(({ id }) => id),
        paths: undefined,
      };
    case 'entries':
      return ofEntries(entries, new Set(request.ids), given);
    case 'path':
      return ofPath(entries, request.path);
  }
}

function nothing(): ForgetSelection {
  return { names: new Set(), inside: [], of: [], paths: [], stays: new Map() };
}

/** Selects entries with their undos and redos. A content stays when another entry cannot be undone without it. */
function ofEntries(
  entries: readonly JournalEntry[],
  ids: Set<string>,
  given: ReadonlySet<string>,
): ForgetSelection {
  for (const { id, undoes } of entries) if (undoes !== undefined && ids.has(undoes)) ids.add(id);
  const meant = entries.filter(({ id }) => ids.has(id)).flatMap(({ changes }) => changes);
  const names = contentNames(meant);
  const elsewhere = neededElsewhere(entries, new Set([...ids, ...given]));
  const stays = new Map([...elsewhere].filter(([name]) => names.has(name)));
  for (const name of stays.keys()) names.delete(name);
  const paths = meant.flatMap(touchedPaths);
  return { ...nothing(), names, of: [...ids], paths, stays };
}

/** Selects every content that the path ever had, and the one that it has now: an entry may have kept that too. */
function ofPath(entries: readonly JournalEntry[], path: string): ForgetSelection {
  const changes = entries.flatMap((entry) => entry.changes);
  const paths = withMoves(spellingsOf(path), changes);
  const selected = { ...nothing(), paths };
  for (const change of changes) addOfPath(selected, change, paths);
  for (const each of paths) {
    for (const { hash } of hashedFilesAt(rawOf(each))) selected.names.add(hash);
  }
  return selected;
}

/** The path as given and with all links resolved: the journal may know a link itself, or what it leads to. */
function spellingsOf(path: string): string[] {
  const absolute = resolve(path);
  return [...new Set([join(realOf(dirname(absolute)), basename(absolute)), realOf(absolute)])];
}

/** Adds the paths that the same files had before or after a directory above them was moved. */
function withMoves(paths: string[], changes: readonly Change[]): string[] {
  const all = new Set(paths);
  for (const path of all) {
    for (const change of changes) {
      if (change.kind !== 'moved' || change.type !== 'directory') continue;
      if (isWithin(path, change.path)) all.add(join(change.to, relative(change.path, path)));
      if (isWithin(path, change.to)) all.add(join(change.path, relative(change.to, path)));
    }
    // Ends the search when a directory was moved into itself again and again.
    if (all.size > 1000) break;
  }
  return [...all];
}

function addOfPath(selected: ForgetSelection, change: Change, paths: readonly string[]): void {
  const covers = (path: string) => paths.some((meant) => isWithin(path, meant));
  if (covers(change.path) || (change.kind === 'moved' && covers(change.to))) {
    for (const name of contentNames([change])) selected.names.add(name);
    return;
  }
  if (change.kind === 'removed') addBelow(selected, change.path, change.before, paths);
  if (change.kind === 'moved' && change.replaced) addBelow(selected, change.to, change.replaced, paths);
}

/** Selects what was at the paths inside a tree that was removed as a whole. */
function addBelow(selected: ForgetSelection, top: string, removed: Removed, paths: readonly string[]): void {
  for (const path of paths) {
    if (!isWithin(path, top)) continue;
    if (removed.type === 'aside') selected.inside.push([removed.name, relative(top, path)]);
    if (removed.type !== 'tree') continue;
    for (const entry of removed.entries) {
      if (!isWithin(join(top, entry.path), path)) continue;
      for (const name of contentNamesOfRemoved(entry.removed)) selected.names.add(name);
    }
  }
}
