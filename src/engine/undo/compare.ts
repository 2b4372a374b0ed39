/** What is at a path now, measured against what an entry of the journal left there or found there. */

import type { Stat } from '../confine/directory/dir.ts';
import type { Place } from '../confine/place.ts';
import { namesOfRemoved } from '../journal/entries/contents-needed.ts';
import type { Change, FileImage, Removed } from '../journal/entries/entry.ts';
import { leadsTo } from '../journal/entries/link-target.ts';
import { stampOf, UNKNOWN_STAMP } from '../journal/record/stamp.ts';
import type { Store } from '../journal/store.ts';
import { hasContent, hashAside, hashAt, mayRead, namesIn, treeIsWithin } from './compare-content.ts';
import { hasStampAt } from './restore/restore-files.ts';

/** Why an entry cannot simply be undone at one path. */
export interface Obstacle {
  path: string;
  /** In plain words. */
  why: string;
  /** A unified diff from what the entry left there to what is there now. */
  diff?: string;
  /** Whether force can undo it: the journal then keeps what is in the way. */
  forceable: boolean;
  /** By force the rest is undone, and this is left as it is. */
  left?: true;
}

/**
 * `after`: as the entry left it. `before`: as it was, so that there is nothing to undo. `both`: cut off in the
 * middle of a move, under the old name and the new one. `replaced`: moved back already, and what it had replaced
 * is not back.
 */
export type Comparison = 'after' | 'before' | 'both' | 'replaced' | Omit<Obstacle, 'path'>;

/** Where a change was made, as far as it can be reached. */
export interface CompareOptions {
  store: Store;
  place: Place | undefined;
  /** Where it was moved to. */
  target: Place | undefined;
  /** The paths that are emptied first when the entry is undone. */
  vacated: ReadonlySet<string>;
  /** Whether the entry has no end: it may have been cut off anywhere. */
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
  if (change.stamp === UNKNOWN_STAMP) return blocked('whether what is in it was changed since is not known');
  if (change.whole && change.stamp !== undefined && !(await hasStampAt(place, change.stamp))) {
    return blocked('what is in it was changed since');
  }
  if (change.link && !leadsTo(place.dir, place.name, change.link)) return blocked('it leads elsewhere now');
  if (change.after === undefined || (await hasContent(place, now, change.after))) return 'after';
  return changedSince(place);
}

function changedSince(place: Place): Comparison {
  return blocked(
    mayRead(place) ? 'its content was changed since' : 'whether it was changed since cannot be read',
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
  const back = await isBack(store, before, place, now, interrupted);
  if (back !== 'other') return back === 'whole' ? 'before' : 'after';
  const there = `a ${now.type} is there again`;
  return lost === undefined ? blocked(there) : blocked(`${there}, and ${lost}`, false);
}

/** `partly`: a part of it and nothing else, as when it was cut off on the way out or back. */
async function isBack(
  store: Store,
  removed: Removed,
  place: Place,
  now: Stat,
  interrupted: boolean,
): Promise<'whole' | 'partly' | 'other'> {
  switch (removed.type) {
    case 'aside': {
      const kept = store.statAside(removed.name);
      // Cut off, it may not have gone yet, or be back already.
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
      return now.type === 'directory' ? treeIsWithin(place, removed.entries) : 'other';
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

/** Something is under both names, and the entry has no end. */
async function whereInterrupted(
  store: Store,
  { replaced }: Change & { kind: 'moved' },
  { place, now }: { place: Place; now: Stat },
  { target, moved }: { target: Place; moved: Stat },
): Promise<'after' | 'before' | 'both' | undefined> {
  if (replaced)
    return (await isBack(store, replaced, target, moved, true)) === 'whole' ? 'before' : undefined;
  // A directory takes its new name by an empty one; between file systems a file is copied first.
  if (moved.type === 'directory') {
    if (namesIn(target).length === 0) return 'both';
    // Cut off on the way back: only the old name was taken.
    return namesIn(place).length === 0 ? 'after' : undefined;
  }
  if (moved.type !== 'file' || moved.size !== now.size) return undefined;
  const hash = await hashAt(target, moved);
  return hash !== undefined && hash === (await hashAt(place, now)) ? 'both' : undefined;
}

/** For a content that will only be there when a later change was undone. */
export async function compareInBetween(store: Store, change: Change): Promise<Comparison> {
  const lost = change.kind === 'changed' ? await whyNotKept(store, change.before) : undefined;
  return lost === undefined ? 'after' : blocked(lost, false);
}

/** Whether a file is what an image shows of it as it was. */
async function isAsStored(store: Store, image: FileImage, place: Place, now: Stat): Promise<boolean> {
  if (now.size !== image.size) return false;
  if (image.hash !== undefined) return (await hashAt(place, now)) === image.hash;
  if (image.stamp !== undefined && image.stamp === stampOf(now)) return true;
  return (
    image.kept.in === 'aside' && (await hashAside(store, image.kept.name)) === (await hashAt(place, now))
  );
}

/** Why what an image shows cannot be had any more. */
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

/** What the user had removed from a tree that was kept otherwise. */
export function forgottenWithin(store: Store, removed: Removed): string[] {
  if (removed.type === 'aside') return [...store.forgottenInside(removed.name)];
  if (removed.type !== 'tree') return [];
  return removed.entries.filter((entry) => isForgotten(store, entry.removed)).map(({ path }) => path);
}

/** What was too large to be kept in a tree that was kept otherwise. */
function notKeptWithin(removed: Removed): string[] {
  if (removed.type !== 'tree') return [];
  return removed.entries.filter((entry) => isLargeFile(entry.removed)).map(({ path }) => path);
}

/** A file of a tree that was not kept. FIFOs, sockets and devices never are, and nobody misses them. */
export function isLargeFile(removed: Removed): boolean {
  return removed.type === 'file' && removed.file.kept.in === 'nowhere';
}

export function isForgotten(store: Store, removed: Removed): boolean {
  return [...namesOfRemoved(removed)].some((name) => store.isForgotten(name));
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
        const skipped = inner.type === 'lost' || isLargeFile(inner) || isForgotten(store, inner);
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
