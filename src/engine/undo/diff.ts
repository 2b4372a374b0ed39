/** Shows what an entry changed as unified diffs, as far as both sides are still known. */
import { hashOf } from '../../state/content-hash.ts';
import type { Access } from '../access/access.ts';
import type { Encoding } from '../charset/codec.ts';
import { encodingOf } from '../charset/encoding-of.ts';
import type { Charset } from '../charset/names.ts';
import { isWithin } from '../confine/roots.ts';
import { STRAIGHT, type Wall } from '../confine/wall.ts';
import { EngineFailure } from '../failures.ts';
import type { TextEditor } from '../files/edit/text-editor.ts';
import { readSnapshot } from '../files/read/read.ts';
import type { Change, FileImage, JournalEntry, Removed } from '../journal/entries/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { FORGOTTEN, forgottenWithin } from './compare.ts';
import { contentOf } from './restore/stored-content.ts';
import { DENIED, verdictOn } from './withheld-changes.ts';

/** The largest content that a diff shows. */
const SHOWN_BYTES = 4 * 1024 * 1024;

export interface FileDiff {
  path: string;
  /** The new path of something that was moved. */
  to?: string;
  kind: Change['kind'];
  /** A unified diff; empty when there is nothing to show, or when lines are only counted. */
  text: string;
  /** How many lines differ; undefined when there is no difference that can be shown. */
  lines?: { added: number; removed: number };
  note?: string;
}

/** The wall around an entry's directories, and the encodings declared there; neither when the directories are gone. */
export interface DiffAccess extends Partial<Pick<Access, 'wall' | 'encodings'>> {
  /** Compares large contents in another thread. */
  editor: TextEditor;
  /** Whether to count lines only, and show none. */
  countsOnly?: boolean;
}

export type ServedDiffs = DiffAccess & Pick<Access, 'wall' | 'encodings'>;

type Shown = Pick<FileDiff, 'text' | 'lines' | 'note'>;

/** The diffs from before the entry to after it. */
export async function diffsOfEntry(
  access: DiffAccess,
  journal: Journal,
  entry: JournalEntry,
): Promise<FileDiff[]> {
  const diffs: FileDiff[] = [];
  if (entry.unrecorded !== undefined) {
    for (const path of entry.roots) diffs.push({ path, kind: 'changed', text: '', note: entry.unrecorded });
  }
  for (const change of entry.changes) {
    const withheld = access.wall && withheldDiff(access.wall, change, change.kind);
    diffs.push(...(withheld ?? [await diffOf(access, journal, change)]));
  }
  return diffs;
}

/** What stands in for a diff that must not be shown; undefined when it may be shown. */
function withheldDiff(wall: Wall, change: Change, kind: Change['kind']): FileDiff[] | undefined {
  const verdict = verdictOn(wall, change);
  if (verdict === undefined) return undefined;
  return verdict === 'denied' ? [{ path: change.path, kind, text: '', note: DENIED }] : [];
}

async function diffOf(access: DiffAccess, journal: Journal, change: Change): Promise<FileDiff> {
  const { path, kind } = change;
  switch (change.kind) {
    case 'created': {
      if (change.type !== 'file') return { path, kind, text: '', note: `a ${change.type}` };
      const after = await contentAfter(access, journal, path, change.after);
      if (after === undefined) {
        const note = forgottenNote(journal, change.after?.hash) ?? 'what it held is no longer known';
        return { path, kind, text: '', note };
      }
      return { path, kind, ...(await shown(access, path, Buffer.alloc(0), after)) };
    }
    case 'changed': {
      const before = await contentBefore(journal, change.before);
      const after = await contentAfter(access, journal, path, change.after);
      if (before === undefined) {
        const note = forgottenNote(journal, nameOf(change.before)) ?? 'what it held before is not kept';
        return { path, kind, text: '', note };
      }
      if (after === undefined) {
        const note = 'it was changed since: what it held after this is not known';
        return { path, kind, text: '', note: forgottenNote(journal, change.after.hash) ?? note };
      }
      return { path, kind, ...(await shown(access, path, before, after)) };
    }
    case 'removed':
      return { path, kind, ...(await shownRemoved(access, journal, path, change.before)) };
    case 'moved':
      return { path, to: change.to, kind, ...(await shownReplaced(access, journal, change)) };
  }
}

async function shownReplaced(
  access: DiffAccess,
  journal: Journal,
  { to, replaced }: Change & { kind: 'moved' },
): Promise<Shown> {
  if (replaced === undefined) return { text: '' };
  const { note, ...rest } = await shownRemoved(access, journal, to, replaced);
  return { ...rest, note: `in place of ${note ?? 'another file'}` };
}

async function shownRemoved(
  access: DiffAccess,
  journal: Journal,
  path: string,
  removed: Removed,
): Promise<Shown> {
  switch (removed.type) {
    case 'file': {
      const before = await contentBefore(journal, removed.file);
      if (before === undefined) {
        return { text: '', note: forgottenNote(journal, nameOf(removed.file)) ?? 'what it held is not kept' };
      }
      return shown(access, path, before, Buffer.alloc(0));
    }
    case 'aside': {
      const file = fileAside(journal, removed.name);
      if (file) return shownRemoved(access, journal, path, { type: 'file', file });
      const type = journal.store.statAside(removed.name)?.type;
      const partly = forgottenWithin(journal.store, removed).length > 0;
      if (type) return { text: '', note: `a ${type}, ${partly ? SOME_FORGOTTEN : 'kept whole'}` };
      return { text: '', note: forgottenNote(journal, removed.name) ?? 'no longer kept' };
    }
    case 'symlink':
      return { text: '', note: `a link to ${removed.target}` };
    case 'tree': {
      const partly = forgottenWithin(journal.store, removed).length > 0;
      const note = `a directory with ${removed.entries.length} entries`;
      return { text: '', note: partly ? `${note}, ${SOME_FORGOTTEN}` : note };
    }
    case 'directory':
      return { text: '', note: 'an empty directory' };
    case 'lost':
      return { text: '', note: removed.why };
  }
}

/** The diffs from what is there now to what would be there if these changes were undone. */
export async function diffsOfUndoing(
  access: ServedDiffs,
  journal: Journal,
  changes: readonly Change[],
): Promise<FileDiff[]> {
  const diffs: FileDiff[] = [];
  for (const change of changes) {
    const { path } = change;
    const kind = WHEN_UNDONE[change.kind];
    const withheld = withheldDiff(access.wall, change, kind);
    if (withheld) {
      diffs.push(...withheld);
      continue;
    }
    if (change.kind === 'moved') {
      diffs.push({ path: change.to, to: path, kind, text: '' });
      continue;
    }
    const now = (await contentNow(access, path)) ?? Buffer.alloc(0);
    const then = await contentWanted(journal, change);
    diffs.push({
      path,
      kind,
      ...(await (then ? shown(access, path, now, then) : withoutLines(access, journal, change))),
    });
  }
  return diffs;
}

/** The kind of change that undoing a change is. */
const WHEN_UNDONE = { created: 'removed', changed: 'changed', removed: 'created', moved: 'moved' } as const;

async function withoutLines(
  access: DiffAccess,
  journal: Journal,
  change: Exclude<Change, { kind: 'moved' }>,
): Promise<Shown> {
  if (change.kind === 'created') return { text: '', note: `a ${change.type}` };
  if (change.kind === 'removed') return shownRemoved(access, journal, change.path, change.before);
  const note = 'what it held before is not kept, or too large to be shown';
  return { text: '', note: forgottenNote(journal, nameOf(change.before)) ?? note };
}

const SOME_FORGOTTEN = 'some of its contents were forgotten';

function forgottenNote({ store }: Journal, name: string | undefined): string | undefined {
  return name !== undefined && store.isForgotten(name) ? FORGOTTEN : undefined;
}

function nameOf({ kept, hash }: FileImage): string | undefined {
  return kept.in === 'aside' ? kept.name : hash;
}

/** The diff from what an undo or a redo expects at a path to what is there instead. */
export async function diffInTheWay(access: ServedDiffs, journal: Journal, change: Change): Promise<string> {
  if (verdictOn(access.wall, change) !== undefined) return '';
  const edited = change.kind === 'moved' && (await diffSinceMoved(access, journal, change));
  if (edited) return edited;
  const expected = await contentExpected(access, journal, change);
  const now = expected && (await contentNow(access, change.path));
  return expected && now ? (await shown(access, change.path, expected, now)).text : '';
}

/** How a file was changed after it was moved; empty when it was not changed, or that is unknown. */
async function diffSinceMoved(
  access: DiffAccess,
  journal: Journal,
  { to, file }: Change & { kind: 'moved' },
): Promise<string> {
  const then = file?.hash === undefined ? undefined : await journal.store.get(file.hash);
  const now = then && (await contentNow(access, to));
  return then && now ? (await shown(access, to, then, now)).text : '';
}

async function contentExpected(
  access: DiffAccess,
  journal: Journal,
  change: Change,
): Promise<Buffer | undefined> {
  if (change.kind === 'moved') return contentNow(access, change.to);
  if (change.kind === 'removed') return contentWanted(journal, change);
  return change.after && contentAfter(access, journal, change.path, change.after);
}

/** What a file would hold after an undo; undefined for what is not a file, or too large to be shown. */
async function contentWanted(
  journal: Journal,
  change: Exclude<Change, { kind: 'moved' }>,
): Promise<Buffer | undefined> {
  if (change.kind === 'created') return change.type === 'file' ? Buffer.alloc(0) : undefined;
  if (change.kind === 'changed') return contentBefore(journal, change.before);
  const { before } = change;
  if (before.type === 'file') return contentBefore(journal, before.file);
  if (before.type !== 'aside') return undefined;
  const file = fileAside(journal, before.name);
  return file && contentBefore(journal, file);
}

/** A file that was set aside whole. */
function fileAside(journal: Journal, name: string): FileImage | undefined {
  const stat = journal.store.statAside(name);
  return stat?.type === 'file'
    ? { size: stat.size, mode: stat.mode, kept: { in: 'aside', name } }
    : undefined;
}

async function contentBefore(journal: Journal, image: FileImage): Promise<Buffer | undefined> {
  if (image.size > SHOWN_BYTES) return undefined;
  return contentOf(journal.store, image);
}

/** What a file held after the entry. The store has it if a later entry replaced it; else the file may still hold it. */
async function contentAfter(
  access: DiffAccess,
  journal: Journal,
  path: string,
  after: Omit<FileImage, 'kept'> | undefined,
): Promise<Buffer | undefined> {
  if (after?.hash !== undefined && after.size <= SHOWN_BYTES) {
    const stored = await journal.store.get(after.hash);
    if (stored) return stored;
  }
  const now = await contentNow(access, path);
  if (now === undefined || after?.hash === undefined) return now;
  return (await hashOf(now)) === after.hash ? now : undefined;
}

async function contentNow(access: DiffAccess, path: string): Promise<Buffer | undefined> {
  try {
    return await access.wall?.at(path, STRAIGHT, async (place) => {
      return (await readSnapshot(place, { limit: SHOWN_BYTES })).bytes;
    });
  } catch (error) {
    if (error instanceof EngineFailure) return undefined;
    throw error;
  }
}

async function shown(access: DiffAccess, path: string, before: Buffer, after: Buffer): Promise<Shown> {
  const [old, now] = [before, after].map((bytes) => encodingIn(access, path, bytes));
  if (old === undefined || now === undefined) {
    return { text: '', note: `binary content, ${before.length} bytes before and ${after.length} after` };
  }
  const { countsOnly = false } = access;
  const { result } = await access.editor.run(
    { kind: 'diff', path, before: { bytes: before, encoding: old }, after: now, countsOnly },
    after,
  );
  const { diff: text, added, removed } = result;
  return added + removed === 0 ? { text } : { text, lines: { added, removed } };
}

/** The encoding of the bytes; undefined when they are not text. */
function encodingIn(access: DiffAccess, path: string, bytes: Buffer): Encoding | undefined {
  const judged = encodingOf(bytes, () => declaredFor(access, path));
  return 'notText' in judged ? undefined : judged;
}

function declaredFor({ wall, encodings }: DiffAccess, path: string): Charset | undefined {
  const root = wall?.roots.find(({ real }) => isWithin(path, real));
  return root && wall && encodings?.of(wall, { path, root });
}
