/** Compares what is at a path now with what an entry of the journal left there or found there. */

import type { Stat } from '../confine/directory/dir.ts';
import type { Place } from '../confine/place.ts';
import { contentNamesOfRemoved } from '../journal/entries/contents-needed.ts';
import type { Change, FileImage, Removed } from '../journal/entries/entry.ts';
import { leadsTo } from '../journal/entries/link-target.ts';
import { stampOf, UNKNOWN_STAMP } from '../journal/record/stamp.ts';
import type { Store } from '../journal/store.ts';
import {
  hasContent,
  hashAside,
  hashAt,
  hasStampAt,
  mayRead,
  namesIn,
  presenceOfTree,
} from './compare-content.ts';

/** What keeps an entry from being undone at one path. */
export interface Obstacle {
  path: string;
  /** The reason in plain words. */
  why: string;
  /** A unified diff from what the entry left there to what is there now. */
  diff?: string;
  /** Whether a forced undo can undo it. The journal then keeps what is in the way. */
  forceable: boolean;
  /** A forced undo undoes the rest and leaves this path alone. */
  left?: true;
}

/**
 * `after`: the path is as the entry left it. `before`: it is as it was before the entry, so there is nothing to undo.
 * `both`: a move was interrupted, and the file has both its old name and its new one. `replaced`: it was moved back
 * already, but what it had replaced is not back.
 */
export type Comparison = 'after' | 'before' | 'both' | 'replaced' | Omit<Obstacle, 'path'>;

export interface CompareOptions {
  store: Store;
  /** Where the change was made; undefined when the path cannot be reached. */
  place: Place | undefined;
  /** The new place of something that was moved; undefined when it cannot be reached. */
  target: Place | undefined;
  /** The paths that the undo empties first. */
  vacated: ReadonlySet<string>;
  /** Whether the entry has no end: it may have been interrupted anywhere. */
  interrupted: boolean;
}

const blocked = (why: string, forceable = true): Comparison => ({ why, forceable });

export async function compare(change: Change, options: CompareOptions): Promise<Comparison> {
  switch (change.kind) {
    case 'created':
      return compareCreated(change, options);
    case 'changed':
      return compareChanged(change, options);
    case 'removed':
      return compareRemoved(change, options);
    case 'moved':
      return compareMoved(change, options);
  }
}

async function compareCreated(
  change: Change & { kind: 'created' },
  { place, vacated }: CompareOptions,
): Promise<Comparison> {
  if (change.lost !== undefined) return blocked(change.lost, false);
  const now = place?.lstat();
  if (!place || !now) return 'before';
  if (now.type !== change.type) return blocked(`there is now a ${now.type} in its place`);
  if (change.type === 'directory' && !change.whole) {
    const others = namesIn(place).filter((name) => !vacated.has(`${place.path}/${name}`));
    if (others.length === 0) return 'after';
    if (change.parent) return 'before';
    return blocked(`it now holds ${namesText(others)}`);
  }
  if (change.stamp === UNKNOWN_STAMP)
    return blocked('it is not known whether what is in it was changed since');
  if (change.whole && change.stamp !== undefined && !(await hasStampAt(place, change.stamp))) {
    return blocked('what is in it was changed since');
  }
  if (change.link && !leadsTo(place.dir, place.name, change.link))
    return blocked('the link now leads elsewhere');
  if (change.after === undefined || (await hasContent(place, now, change.after))) return 'after';
  return changedSince(place);
}

function changedSince(place: Place): Comparison {
  return blocked(
    mayRead(place)
      ? 'its content was changed since'
      : 'it cannot be read, so it is not known whether it was changed since',
  );
}

async function compareChanged(
  { before, after }: Change & { kind: 'changed' },
  { store, place }: CompareOptions,
): Promise<Comparison> {
  const now = place?.lstat();
  const lost = await whyNotKept(store, before);
  if (now !== undefined && now.type !== 'file')
    return blocked(`there is now a ${now.type} in its place`, lost === undefined);
  if (place && now && (await isAsStored(store, before, place, now))) return 'before';
  if (lost !== undefined) return blocked(lost, false);
  if (!place || !now) return blocked('it was removed since');
  return (await hasContent(place, now, after)) ? 'after' : changedSince(place);
}

async function compareRemoved(
  { path, before }: Change & { kind: 'removed' },
  { store, place, vacated, interrupted }: CompareOptions,
): Promise<Comparison> {
  const now = place?.lstat();
  const lost = await whyNotRestorable(store, before);
  if (!place || !now || vacated.has(path)) {
    if (lost !== undefined) return blocked(lost, false);
    const forgotten = forgottenWithin(store, before);
    const missing = forgotten.length === 0 ? notKeptWithin(before) : forgotten;
    const what = forgotten.length === 0 ? 'not everything was kept' : 'contents were forgotten';
    return missing.length === 0
      ? 'after'
      : blocked(`${what}: ${namesText(missing)} (--force brings back the rest)`);
  }
  const back = await presenceOf(store, before, place, now, interrupted);
  if (back !== 'other') return back === 'whole' ? 'before' : 'after';
  const there = `a ${now.type} is there again`;
  return lost === undefined ? blocked(there) : blocked(`${there}, and ${lost}`, false);
}

/** `partly`: a part of it and nothing else is there, as after an interrupted removal or undo. */
async function presenceOf(
  store: Store,
  removed: Removed,
  place: Place,
  now: Stat,
  interrupted: boolean,
): Promise<'whole' | 'partly' | 'other'> {
  switch (removed.type) {
    case 'aside': {
      const kept = store.statAside(removed.name);
      // If the entry was interrupted, it may not have been set aside yet, or be back already.
      if (!kept) return interrupted ? 'whole' : 'other';
      if (kept.ino === now.ino && kept.dev === now.dev) return 'whole';
      const both = kept.type === 'directory' && now.type === 'directory';
      return both && namesIn(place).length === 0 ? 'partly' : 'other';
    }
    case 'file':
      return now.type === 'file' && (await isAsStored(store, removed.file, place, now)) ? 'whole' : 'other';
    case 'directory':
      return now.type === 'directory' ? 'whole' : 'other';
    case 'symlink':
      return now.type === 'symlink' && leadsTo(place.dir, place.name, removed) ? 'whole' : 'other';
    case 'tree':
      return now.type === 'directory' ? presenceOfTree(place, removed.entries) : 'other';
    case 'lost':
      return 'other';
  }
}

async function compareMoved(
  change: Change & { kind: 'moved' },
  { store, place, target, vacated, interrupted }: CompareOptions,
): Promise<Comparison> {
  const [now, moved] = [place?.lstat(), target?.lstat()];
  const free = !place || now === undefined || vacated.has(change.path);
  const lost = change.replaced && (await whyNotRestorable(store, change.replaced));
  if (!target || moved === undefined) {
    if (free) return blocked(`it is no longer at ${change.to}`, false);
    return change.replaced && lost === undefined ? 'replaced' : 'before';
  }
  if (now?.ino === moved.ino && now.dev === moved.dev) return 'both';
  if (moved.type !== change.type) return blocked(`there is now a ${moved.type} at ${change.to}`, false);
  if (interrupted && !free && now.type === moved.type) {
    const where = await whereInterrupted(store, change, { place, now }, { target, moved });
    if (where) return where;
  }
  if (lost !== undefined)
    return blocked(
      `what it replaced at ${change.to} cannot be restored (${lost}); without that it can be moved back`,
    );
  if (!(await isAsMoved(change, target, moved))) return blocked(`it was changed since, at ${change.to}`);
  return free ? 'after' : blocked(`a ${now.type} is there again`);
}

async function isAsMoved({ file, link }: Change & { kind: 'moved' }, at: Place, now: Stat): Promise<boolean> {
  if (link && now.type === 'symlink') return leadsTo(at.dir, at.name, link);
  return file === undefined || hasContent(at, now, file);
}

/** Where an interrupted move stopped, when something has both the old name and the new one. */
async function whereInterrupted(
  store: Store,
  { replaced }: Change & { kind: 'moved' },
  { place, now }: { place: Place; now: Stat },
  { target, moved }: { target: Place; moved: Stat },
): Promise<'after' | 'before' | 'both' | undefined> {
  if (replaced)
    return (await presenceOf(store, replaced, target, moved, true)) === 'whole' ? 'before' : undefined;
  // A move makes an empty directory to reserve the new name; between file systems it copies a file first.
  if (moved.type === 'directory') {
    if (namesIn(target).length === 0) return 'both';
    // Moving it back was interrupted: only the old name was reserved.
    return namesIn(place).length === 0 ? 'after' : undefined;
  }
  if (moved.type !== 'file' || moved.size !== now.size) return undefined;
  const hash = await hashAt(target, moved);
  return hash !== undefined && hash === (await hashAt(place, now)) ? 'both' : undefined;
}

/** For a content that will be there only after a later change is undone. */
export async function compareInBetween(store: Store, change: Change): Promise<Comparison> {
  const lost = change.kind === 'changed' ? await whyNotKept(store, change.before) : undefined;
  return lost === undefined ? 'after' : blocked(lost, false);
}

/** Whether a file has the content that the journal kept of it. */
async function isAsStored(store: Store, image: FileImage, place: Place, now: Stat): Promise<boolean> {
  if (now.size !== image.size) return false;
  if (image.hash !== undefined) return (await hashAt(place, now)) === image.hash;
  if (image.stamp !== undefined && image.stamp === stampOf(now)) return true;
  return (
    image.kept.in === 'aside' && (await hashAside(store, image.kept.name)) === (await hashAt(place, now))
  );
}

/** Why the journal does not have the content of an image; undefined when it has it. */
async function whyNotKept(store: Store, { kept, hash }: FileImage): Promise<string | undefined> {
  switch (kept.in) {
    case 'nowhere':
      return `its old content was not kept: ${kept.why}`;
    case 'store':
      return hash !== undefined && (await store.has(hash))
        ? undefined
        : whyGone(store, hash ?? '', 'its old content is');
    case 'aside':
      return isAside(store, kept.name) ? undefined : whyGone(store, kept.name, 'its old content is');
  }
}

export const FORGOTTEN = 'its contents were forgotten';

function whyGone(store: Store, name: string, what: string): string {
  return store.isForgotten(name) ? FORGOTTEN : `${what} no longer kept`;
}

/** The paths that the user had removed from a tree that the journal still keeps. */
export function forgottenWithin(store: Store, removed: Removed): string[] {
  if (removed.type === 'aside') return [...store.forgottenInside(removed.name)];
  if (removed.type !== 'tree') return [];
  return removed.entries.filter((entry) => isForgotten(store, entry.removed)).map(({ path }) => path);
}

/** The paths of files that were too large to be kept, in a tree that the journal kept. */
function notKeptWithin(removed: Removed): string[] {
  if (removed.type !== 'tree') return [];
  return removed.entries.filter((entry) => isUnkeptFile(entry.removed)).map(({ path }) => path);
}

/** Whether it is a file that was not kept. FIFOs, sockets and devices are never kept, and an undo does without them. */
export function isUnkeptFile(removed: Removed): boolean {
  return removed.type === 'file' && removed.file.kept.in === 'nowhere';
}

export function isForgotten(store: Store, removed: Removed): boolean {
  return [...contentNamesOfRemoved(removed)].some((name) => store.isForgotten(name));
}

export async function whyNotRestorable(store: Store, removed: Removed): Promise<string | undefined> {
  switch (removed.type) {
    case 'file':
      return whyNotKept(store, removed.file);
    case 'aside':
      return isAside(store, removed.name) ? undefined : whyGone(store, removed.name, 'what was removed is');
    case 'lost':
      return removed.why;
    case 'tree': {
      for (const { path, removed: inner } of removed.entries) {
        const skipped = inner.type === 'lost' || isUnkeptFile(inner) || isForgotten(store, inner);
        const why = skipped ? undefined : await whyNotRestorable(store, inner);
        if (why !== undefined) return `${path}: ${why}`;
      }
      return undefined;
    }
    default:
      return undefined;
  }
}

function isAside(store: Store, name: string): boolean {
  return store.statAside(name) !== undefined;
}

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}
