/** Finds what a command has created by comparing the directories before and after it. */
import { basename, dirname } from 'node:path';
import { hashOf } from '../../../state/content-hash.ts';
import { isWithin } from '../../confine/roots.ts';
import type { EntryStat } from '../../confine/scan/packed-entries.ts';
import { STRAIGHT } from '../../confine/wall.ts';
import { Yielder } from '../../event-loop.ts';
import { EngineFailure } from '../../failures.ts';
import type { Change, FileImage } from '../entries/entry.ts';
import { LARGE_BYTES } from '../record/capture.ts';
import { readSmall, SMALL_BYTES } from '../record/small-content.ts';
import { stampByTimes, stampOf, UNKNOWN_STAMP } from '../record/stamp.ts';
import type { Gate } from './gate.ts';
import type { Renames } from './renames.ts';
import { type Entries, isReplaced, NOT_ENTERED, type SnapshotEntry } from './snapshot.ts';
import type { ToolChanges } from './tool-changes.ts';
import type { UnreadDirectories } from './unread-directories.ts';

const UNREACHABLE = 'its name is not valid UTF-8, so it cannot be removed again';

export interface Compared {
  before: Entries;
  after: Entries;
  unread: UnreadDirectories;
  renames: Renames;
  toolChanges: ToolChanges;
  readBudget: ReadBudget;
}

/** How many bytes of new and changed files are read to hash them. The other files are recognized by their times. */
export const MOST_READ_BYTES = 256 * 1024 * 1024;

export interface ReadBudget {
  /** How many bytes may still be read. */
  left: number;
}

export async function createdChanges(gate: Gate, compared: Compared): Promise<Change[]> {
  const { before, after, unread, renames, toolChanges, readBudget } = compared;
  const isWhole = wholeIn(compared);
  const wholes: string[] = [];
  const changes: Change[] = [];
  const yielder = new Yielder(undefined);
  for (const [path, is] of after) {
    if (yielder.isDue) await yielder.pause();
    const was = renames.isOldName(path) ? undefined : before.get(path);
    if (toolChanges.has(path) || unread.hold(path) || (was && !isReplaced(was, is))) continue;
    if (renames.isNewName(path) || renames.wentAlong(path)) continue;
    if (wholes.some((whole) => isWithin(path, whole))) continue;
    if (isWhole(path, is)) wholes.push(path);
    changes.push(
      wholes.at(-1) === path
        ? await createdWhole(gate, path)
        : await createdEntry(gate, path, is, readBudget),
    );
  }
  return changes;
}

/**
 * Which new directories are recorded as one change: those that no snapshot enters, and those that hold a name which is
 * not valid UTF-8. But not when something in them may have been moved there, or was changed by a tool.
 */
function wholeIn({
  before,
  after,
  renames,
  toolChanges,
}: Compared): (path: string, is: SnapshotEntry) => boolean {
  const withUnreachable = new Set<string>();
  for (const [path, { unreachable }] of after) if (unreachable) withUnreachable.add(dirname(path));
  const lostUnreachable = [...before].some(([path, { unreachable }]) => unreachable && !after.has(path));
  return (path, { stat, unreachable }) =>
    stat.type === 'directory' &&
    (NOT_ENTERED.has(basename(path)) || withUnreachable.has(path)) &&
    !unreachable &&
    !lostUnreachable &&
    !toolChanges.reachInto(path) &&
    !renames.reachInto(path);
}

async function createdWhole({ wall }: Pick<Gate, 'wall'>, path: string): Promise<Change> {
  const facts = { kind: 'created', path, type: 'directory', whole: true } as const;
  try {
    const stamp = await wall.at(path, STRAIGHT, (place) => place.inside(stampByTimes));
    return { ...facts, stamp };
  } catch {
    return { ...facts, stamp: UNKNOWN_STAMP };
  }
}

async function createdEntry(
  gate: Gate,
  path: string,
  { stat, link, unreachable }: SnapshotEntry,
  readBudget: ReadBudget,
): Promise<Change> {
  const { type } = stat;
  if (unreachable) return { kind: 'created', path, type, lost: UNREACHABLE };
  if (type !== 'file') return { kind: 'created', path, type, ...(link && { link }) };
  return { kind: 'created', path, type, after: await imageNow(gate, path, stat, readBudget) };
}

export async function imageNow(
  { wall }: Pick<Gate, 'wall'>,
  path: string,
  stat: EntryStat,
  readBudget: ReadBudget,
): Promise<Omit<FileImage, 'kept'>> {
  const { size, mode } = stat;
  const image = { size, mode, stamp: stampOf(stat) };
  if (size >= LARGE_BYTES || (size > SMALL_BYTES && size > readBudget.left)) return image;
  readBudget.left -= size;
  try {
    const bytes = wall.at(path, STRAIGHT, ({ dir, name }) => readSmall(dir, name, stat, LARGE_BYTES));
    return bytes ? { size, mode, hash: await hashOf(bytes) } : image;
  } catch (error) {
    // A process that the command left running may have removed the file.
    if (error instanceof EngineFailure) return image;
    throw error;
  }
}
