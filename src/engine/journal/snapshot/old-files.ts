/** Records what a command has changed or removed, with the copies of small files that were made before it. */
import { basename } from 'node:path';
import type { Root } from '../../confine/roots.ts';
import { errorCode } from '../../error-code.ts';
import type { Change, FileImage, Removed } from '../entries/entry.ts';
import type { Journal } from '../journal.ts';
import { SPECIAL_LOST } from '../record/capture.ts';
import { whyFileNotKept } from '../record/entry-quota.ts';
import { isSame, SMALL_BYTES } from '../record/small-content.ts';
import { stampOf } from '../record/stamp.ts';
import type { Store } from '../store.ts';
import { imageNow, type ReadBudget } from './created-files.ts';
import type { Gate } from './gate.ts';
import { isSecretName } from './secret-names.ts';
import { NOT_ENTERED, type SnapshotEntry } from './snapshot.ts';
import type { SnapshotContents } from './snapshot-contents.ts';

const SECRET = 'its name suggests a secret, and such files are not copied before a command';
const UNREAD = 'the server could not read what was in it before the command';
const UNREACHABLE = 'its name is not valid UTF-8, and such names are not kept before a command';

/** For one command. */
export class OldFiles {
  readonly #store: Store | undefined;
  readonly #contents: SnapshotContents | undefined;
  /** The size of the largest file that the entry keeps. */
  readonly #largest: number;
  /** How many bytes the entry may still keep. */
  #left: number;

  constructor(journal: Journal | undefined, contents: SnapshotContents | undefined) {
    const { call, file } = journal?.quotaBounds ?? { call: 0, file: 0 };
    this.#store = journal?.store;
    this.#contents = contents;
    this.#largest = file;
    this.#left = (call * 7) / 8;
  }

  canRestore(path: string, was: SnapshotEntry): boolean {
    if (was.stat.type !== 'file') return whatItWas(path, was).type !== 'lost';
    return this.#store !== undefined && was.copy !== undefined;
  }

  async removed(path: string, was: SnapshotEntry): Promise<Change> {
    const isReachedFile = was.stat.type === 'file' && !was.unreachable;
    const before: Removed = isReachedFile
      ? { type: 'file', file: await this.#imageOf(path, was) }
      : whatItWas(path, was);
    return { kind: 'removed', path, type: was.stat.type, before };
  }

  /** Undefined when the content of the file is the same as before. */
  async changed(
    gate: Gate,
    path: string,
    entry: SnapshotEntry,
    { stat: is }: SnapshotEntry,
    readBudget: ReadBudget,
  ): Promise<Change | undefined> {
    const { stat: was, unreachable } = entry;
    if (isSame(was, is)) return undefined;
    // A new mode or a new hard link does not change the content.
    if (was.size > SMALL_BYTES && stampOf(was) === stampOf(is)) return undefined;
    const before: FileImage = unreachable
      ? { size: was.size, mode: was.mode, kept: { in: 'nowhere', why: UNREACHABLE } }
      : await this.#imageOf(path, entry);
    const after = await imageNow(gate, path, is, readBudget);
    // The file was only touched, or written with the same content.
    if (after.hash === undefined ? stampOf(was) === stampOf(is) : after.hash === before.hash)
      return undefined;
    return { kind: 'changed', path, before, after };
  }

  /** What a file held. The copy goes into the store only now that the command has changed the file. */
  async #imageOf(path: string, { stat, root, copy }: SnapshotEntry): Promise<FileImage> {
    const { size, mode } = stat;
    const notKept = (why: string): FileImage => ({ size, mode, kept: { in: 'nowhere', why } });
    const bytes = copy && this.#contents?.get(copy);
    if (!this.#store || !bytes) return notKept(whyNotCopied(path, root, size));
    if (size > this.#largest) return notKept(whyFileNotKept(size, this.#largest));
    if (size > this.#left) return notKept('together with the rest it is more than --keep allows');
    this.#left -= size;
    try {
      return { size, mode, hash: await this.#store.put(bytes, false), kept: { in: 'store' } };
    } catch (error) {
      return notKept(errorCode(error));
    }
  }
}

/** What was at a path, for everything but files that can be reached. */
function whatItWas(path: string, { stat, link, unreachable, unread }: SnapshotEntry): Removed {
  if (unreachable)
    return { type: 'lost', why: UNREACHABLE, ...(stat.type === 'file' && { size: stat.size }) };
  if (unread) return { type: 'lost', why: UNREAD };
  if (stat.type === 'directory' && NOT_ENTERED.has(basename(path))) {
    return { type: 'lost', why: `${basename(path)} is not kept before each command` };
  }
  if (stat.type === 'directory') return { type: 'directory', mode: stat.mode };
  if (stat.type === 'symlink' && link !== undefined) return { type: 'symlink', ...link };
  return { type: 'lost', why: SPECIAL_LOST };
}

function whyNotCopied(path: string, { real }: Root, size: number): string {
  if (isSecretName(path, real)) return SECRET;
  if (size > SMALL_BYTES) return 'too large to be kept before each command';
  return 'the server could not read it before the command, or had no room left for it';
}
