/** Operations on whole entries: write, make a directory, move, remove. `files.ts` adds edits and patches. */
import type { ChangedPath } from '../access/changes.ts';
import { UTF8 } from '../charset/codec.ts';
import type { Place } from '../confine/place.ts';
import { Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { type FileSnapshot, replaceContent, requireUnchanged } from '../files/atomic-replace.ts';
import { replaceTogether, requireDifferent } from '../files/atomic-replace-many.ts';
import { encodedInTurns } from '../files/encoding/convert-in-turns.ts';
import { storedEncoding } from '../files/encoding/stored-encoding.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { moveEntry } from '../files/move.ts';
import { readSnapshot } from '../files/read/read.ts';
import { shortContentHash } from '../files/read/short-content-hash.ts';
import type { ChangeRecorder } from '../files/recorder.ts';
import { removeEntry } from '../files/remove.ts';
import { requireFits } from '../files/rewrite.ts';
import { keepsAll } from '../journal/entries/contents-needed.ts';
import { type Call, ReadingApi } from './reading.ts';

/** For operations that store a text from the caller. */
export interface StoreCall extends Call {
  /** The most bytes that the file may have afterwards. The engine's own limit applies in any case. */
  limit?: number;
}

/** For operations that the caller wants done only if the file has the content that it knows. */
export interface ExpectingCall extends Call {
  /** The short hash of the content that the file must have. */
  ifHash?: string | undefined;
}

export class ChangingApi extends ReadingApi {
  write(
    path: string,
    content: string | Buffer,
    options: StoreCall & ExpectingCall = {},
  ): Promise<{ path: string; bytes: number }> {
    return this.#write(path, options, (place) => asBytes(content, place, new Yielder(options.signal)));
  }

  /**
   * Writes a text in the encoding of the file that it replaces, with that file's byte-order mark. A new file gets the
   * encoding that is declared for it. Returns the short hash of the new content.
   */
  async writeText(path: string, text: string, options: ExpectingCall = {}): Promise<{ hash: string }> {
    const { signal } = options;
    let hash = '';
    await this.#write(path, options, async (place) => {
      const encoding = await storedEncoding(place, this.declaredFor(place), signal);
      const bytes = await encodedInTurns(text, encoding, path, new Yielder(signal));
      hash = await shortContentHash(bytes);
      return bytes;
    });
    return { hash };
  }

  #write(
    path: string,
    options: StoreCall & ExpectingCall,
    contentFor: (place: Place) => Promise<Buffer>,
  ): Promise<{ path: string; bytes: number }> {
    return this.changeOne(written(path), options, async (place, recorder) => {
      const bytes = await contentFor(place);
      if (options.limit !== undefined) requireFits(path, bytes, options.limit);
      const expect = await expectedSnapshot(place, options);
      await replaceContent(place, bytes, { signal: options.signal, recorder, ...(expect && { expect }) });
      return { path: place.path, bytes: bytes.length };
    });
  }

  /** Writes several files, all of them or none. */
  writeAll(
    files: readonly { path: string; content: string | Buffer }[],
    options: Call = {},
  ): Promise<{ bytes: number }[]> {
    const changed = files.map(({ path }) => written(path));
    return this.changeAll(changed, options, async (places, recorder) => {
      requireDifferent(places);
      const yielder = new Yielder(options.signal);
      const contents: Buffer[] = [];
      for (const [index, { content }] of files.entries())
        contents.push(await asBytes(content, places[index]!, yielder));
      const replacements = places.map((place, index) => ({ place, bytes: contents[index]! }));
      await replaceTogether(replacements, options.signal, recorder);
      return contents.map((bytes) => ({ bytes: bytes.length }));
    });
  }

  makeDirectory(path: string, options: { parents?: boolean } & Call = {}): Promise<{ created: boolean }> {
    const { parents: makeParents = true } = options;
    return this.changeOne({ path, walk: { makeParents }, how: 'created' }, options, makeDirectory);
  }

  move(
    from: string,
    to: string,
    options: { overwrite?: boolean } & ExpectingCall = {},
  ): Promise<{ overwritten: boolean }> {
    const { overwrite = false, signal } = options;
    const changed: ChangedPath[] = [
      { path: from, walk: { follow: false }, how: 'moved-from' },
      { path: to, walk: { follow: false, makeParents: true }, how: 'moved-to' },
    ];
    return this.changeAll(changed, options, async ([source, target], recorder) => {
      await expectedSnapshot(source!, options);
      return moveEntry(this.access.wall, source!, target!, { overwrite, signal, recorder });
    });
  }

  /** `canUndo`: whether the journal has kept everything that was removed. */
  remove(
    path: string,
    options: { recursive?: boolean } & ExpectingCall = {},
  ): Promise<{ removed: 'file' | 'directory' | 'symlink'; canUndo: boolean }> {
    const { recursive = false, signal } = options;
    const changed = { path, walk: { follow: false }, how: 'removed' } as const;
    return this.changeOne(changed, options, async (place, recorder) => {
      const expect = await expectedSnapshot(place, options);
      const check = expect && (() => requireUnchanged(place, expect));
      const how = { recursive, signal, recorder, ...(check && { check }) };
      const removed = await removeEntry(this.access.wall, place, how);
      await place.dir.flush();
      const change = recorder.lastChangeOf?.(place.path);
      return { removed, canUndo: change !== undefined && keepsAll(change) };
    });
  }

  protected changeOne<T>(
    changed: ChangedPath,
    options: Call,
    change: (place: Place, recorder: ChangeRecorder) => Promise<T>,
  ): Promise<T> {
    return this.changeAll([changed], options, ([place], recorder) => change(place!, recorder));
  }

  protected changeAll<T>(
    changed: readonly ChangedPath[],
    { signal }: Call,
    change: (places: Place[], recorder: ChangeRecorder) => Promise<T>,
  ): Promise<T> {
    const paths = changed.map(({ path }) => path);
    return this.access.change(paths, { signal }, (changes) => changes.at(changed, change));
  }
}

/** The present content, if the caller expects a certain one. */
async function expectedSnapshot(
  place: Place,
  { ifHash, signal }: ExpectingCall,
): Promise<FileSnapshot | undefined> {
  if (ifHash === undefined) return undefined;
  const snapshot = await readSnapshot(place, { signal });
  await requireHash(place.shown, snapshot.bytes, ifHash);
  return snapshot;
}

export async function requireHash(path: string, bytes: Buffer, ifHash: string | undefined): Promise<void> {
  if (ifHash === undefined) return;
  const hash = await shortContentHash(bytes);
  if (hash !== ifHash.toLowerCase()) fail({ kind: 'changed-meanwhile', path, hash });
}

async function asBytes(content: string | Buffer, { shown }: Place, yielder: Yielder): Promise<Buffer> {
  return typeof content === 'string' ? encodedInTurns(content, UTF8, shown, yielder) : content;
}

/** A file to write whole. Missing directories above it are made. */
function written(path: string): ChangedPath {
  return { path, walk: { makeParents: true }, how: 'changed' };
}
