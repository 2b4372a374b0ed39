/**
 * The façade: one method for each thing that can be done to files. Each gives a value or throws one failure.
 *
 * Whatever changes the disk goes through `#change`, the one narrow place where turns are taken.
 */

import { resolve as resolvePath } from 'node:path';
import type { Stat } from './confine/dir.ts';
import { attempt } from './confine/errno.ts';
import type { Protection } from './confine/protection.ts';
import type { RootSpec } from './confine/roots.ts';
import { type Place, type WalkOptions, Wall } from './confine/wall.ts';
import { fail } from './failures.ts';
import { Arrivals } from './files/arrivals.ts';
import { replaceContent, requireUnchanged, type Snapshot } from './files/atomic.ts';
import { type ListAllOptions, type ListingBelow, listBelow } from './files/below.ts';
import { type FileContent, readContent, readSnapshot, readText, textOf } from './files/contents.ts';
import { Editor, type TextEdit } from './files/editing.ts';
import { buildTree, type ListedEntry, listEntries, type TreeNode } from './files/listing.ts';
import { moveEntry } from './files/moving.ts';
import { removeEntry } from './files/removal.ts';
import { inTurn } from './files/turns.ts';
import { limits } from './limits.ts';
import { applyPatch } from './text/apply-patch.ts';
import { encode, lineEndingOf, type TextContent, withLineEnding } from './text/encoding.ts';
import { parsePatch } from './text/patch.ts';

export interface EngineOptions {
  roots: readonly RootSpec[];
  /** No operation can change anything. */
  readOnly?: boolean;
  /** `verified` asks for the wall's fallback although a stronger one would work. */
  protection?: 'strongest' | 'verified';
}

/** What comes with every call: how it can be cancelled. */
export interface Call {
  signal?: AbortSignal | undefined;
}

/** For what stores a text of the caller's. */
export interface StoreCall extends Call {
  /** The most bytes that the file may have afterwards; the engine's own limit holds in any case. */
  limit?: number;
}

export interface EditResult {
  /** As the file was, and as it is now or would be. */
  before: string;
  after: string;
  replacements: number[];
}

export interface PatchResult {
  action: 'changed' | 'created' | 'deleted';
  hunks: number;
}

export interface RootInfo {
  path: string;
  writable: boolean;
}

export class Engine {
  readonly #wall: Wall;
  readonly #editor = new Editor();
  readonly #arrivals = new Arrivals();

  constructor(options: EngineOptions) {
    const { readOnly = false, protection = 'strongest' } = options;
    this.#wall = new Wall(options.roots, { readOnly, protection });
  }

  get protection(): Protection {
    return this.#wall.protection;
  }

  get roots(): RootInfo[] {
    return this.#wall.roots.map((root) => ({ path: root.given, writable: root.readOnly === undefined }));
  }

  async close(): Promise<void> {
    await this.#editor.close();
    this.#wall.close();
  }

  // Looking

  read(path: string, options: { limit?: number } & Call = {}): Promise<FileContent> {
    return this.#at(path, {}, (place) => readContent(place, options));
  }

  /** The whole text of a file, byte-order mark included; fails when it is not valid UTF-8. */
  readText(path: string, options: { limit?: number } & Call = {}): Promise<{ text: string; bytes: number }> {
    return this.#at(path, {}, (place) => readText(place, options));
  }

  list(path: string): Promise<ListedEntry[]> {
    return this.#at(path, {}, async (place) => listEntries(this.#wall, place));
  }

  tree(path: string, options: { depth?: number } & Call = {}): Promise<TreeNode> {
    const depth = options.depth ?? Number.POSITIVE_INFINITY;
    return this.#at(path, {}, (place) => buildTree(this.#wall, place, depth, options.signal));
  }

  /** What is in a directory and below it, with types and sizes, in the order of the paths. */
  listAll(path: string, options: ListAllOptions & Call = {}): Promise<ListingBelow> {
    return this.#at(path, {}, (place) => listBelow(place, options));
  }

  info(path: string): Promise<Stat & { path: string }> {
    return this.#at(path, {}, async (place) => ({ ...place.mustExist('entry'), path: place.path }));
  }

  /** Fails when the path leads outside or, when asked, to where nothing may be changed; the entry may be missing. */
  async check(path: string, needs: 'read' | 'write'): Promise<{ path: string }> {
    return this.#at(path, {}, async (place) => {
      if (needs === 'write') place.requireWritable();
      return { path: place.path };
    });
  }

  // Changing

  write(
    path: string,
    content: string | Buffer,
    options: StoreCall = {},
  ): Promise<{ path: string; bytes: number }> {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    return this.#change([[path, { makeParents: true }]], options, async ([place]) => {
      if (options.limit !== undefined) requireFits(path, bytes, options.limit);
      await replaceContent(place!, bytes, { signal: options.signal });
      return { path: place!.path, bytes: bytes.length };
    });
  }

  makeDirectory(path: string, options: { parents?: boolean } & Call = {}): Promise<{ created: boolean }> {
    const walk = { makeParents: options.parents ?? true };
    return this.#change([[path, walk]], options, async ([place]) => {
      const found = place!.lstat();
      if (found?.type === 'directory') return { created: false };
      if (found) fail({ kind: 'exists', path, found: found.type });
      attempt(path, 'create', () => place!.dir.mkdir(place!.name));
      return { created: true };
    });
  }

  move(
    from: string,
    to: string,
    options: { overwrite?: boolean } & Call = {},
  ): Promise<{ overwritten: boolean }> {
    const { overwrite = false, signal } = options;
    const there = { follow: false, makeParents: true };
    return this.#change(
      [
        [from, { follow: false }],
        [to, there],
      ],
      options,
      ([source, target]) => moveEntry(this.#wall, source!, target!, { overwrite, signal }),
    );
  }

  remove(
    path: string,
    options: { recursive?: boolean } & Call = {},
  ): Promise<{ removed: 'file' | 'directory' | 'symlink' }> {
    const { recursive = false, signal } = options;
    return this.#change([[path, { follow: false }]], options, async ([place]) => {
      const removed = await removeEntry(this.#wall, place!, { recursive, signal });
      await place!.dir.flush();
      return { removed };
    });
  }

  edit(path: string, edits: readonly TextEdit[], options: StoreCall = {}): Promise<EditResult> {
    return this.#rewrite(path, options, async (text) => {
      const { text: after, replacements } = await this.#editor.apply(text, edits, path, options.signal);
      return { after, result: { before: text, after, replacements } };
    });
  }

  /** Adds text at the very end of an existing file, with the line ends that the file has. */
  append(path: string, content: string, options: Call = {}): Promise<{ bytes: number }> {
    return this.#rewrite(path, options, async (text) => {
      const added = withLineEnding(content, lineEndingOf(text));
      return { after: text + added, result: { bytes: Buffer.byteLength(added) } };
    });
  }

  /** Applies a unified diff of one file: changes it, creates it or deletes it, as the diff says. */
  async patch(path: string, patch: string, options: Call = {}): Promise<PatchResult> {
    await this.check(path, 'write');
    const parsed = parsePatch(patch);
    const hunks = parsed.hunks.length;
    if (parsed.action === 'create') {
      const created = applyPatch(parsed, undefined, path);
      if ('text' in created) await this.write(path, created.text, options);
      return { action: 'created', hunks };
    }
    return this.#change([[path, {}]], options, async ([place]) => {
      const snapshot = await readSnapshot(place!, { signal: options.signal, action: 'edit' });
      const content = textOf(snapshot, path);
      const patched = applyPatch(parsed, content.text, path);
      if ('deleted' in patched) {
        requireUnchanged(place!, snapshot);
        await removeEntry(this.#wall, place!, { recursive: false, signal: options.signal });
        await place!.dir.flush();
        return { action: 'deleted', hunks };
      }
      await this.#replaceText(place!, snapshot, { ...content, text: patched.text }, options);
      return { action: 'changed', hunks };
    });
  }

  /** What `edit` would do, without leave to change anything. */
  previewEdit(path: string, edits: readonly TextEdit[], options: Call = {}): Promise<EditResult> {
    return this.#at(path, {}, async (place) => {
      const snapshot = await readSnapshot(place, { signal: options.signal, action: 'edit' });
      const { text: before } = textOf(snapshot, path);
      const { text: after, replacements } = await this.#editor.apply(before, edits, path, options.signal);
      return { before, after, replacements };
    });
  }

  /** Read, compute the new text, write: the way of every change that depends on what the file holds. */
  #rewrite<R>(
    path: string,
    options: StoreCall,
    compute: (text: string) => Promise<{ after: string; result: R }>,
  ): Promise<R> {
    return this.#change([[path, {}]], options, async ([place]) => {
      const snapshot = await readSnapshot(place!, { signal: options.signal, action: 'edit' });
      const content = textOf(snapshot, path);
      const { after, result } = await compute(content.text);
      await this.#replaceText(place!, snapshot, { ...content, text: after }, options);
      return result;
    });
  }

  async #replaceText(
    place: Place,
    snapshot: Snapshot,
    content: TextContent,
    options: StoreCall,
  ): Promise<void> {
    const bytes = encode(content);
    requireFits(place.shown, bytes, Math.min(options.limit ?? limits.wholeFileBytes, limits.wholeFileBytes));
    if (bytes.equals(snapshot.bytes)) return;
    await replaceContent(place, bytes, { expect: snapshot, signal: options.signal });
  }

  #at<T>(path: string, walk: WalkOptions, use: (place: Place) => Promise<T>): Promise<T> {
    return this.#arrivals.inOrder([this.#absolute(path)], 'look', async () => this.#wall.at(path, walk, use));
  }

  /** A path as it reads, without a look at the disk. */
  #absolute(path: string): string {
    return resolvePath(this.#wall.roots[0]!.given, path);
  }

  /** Resolves the places, waits for their turn, changes, and leaves nothing behind when that fails. */
  #change<T>(
    paths: readonly (readonly [path: string, walk: WalkOptions])[],
    options: Call,
    change: (places: Place[]) => Promise<T>,
  ): Promise<T> {
    const touched = paths.map(([path]) => this.#absolute(path));
    return this.#arrivals.inOrder(touched, 'change', () => this.#changeNow(paths, options, change));
  }

  async #changeNow<T>(
    paths: readonly (readonly [path: string, walk: WalkOptions])[],
    options: Call,
    change: (places: Place[]) => Promise<T>,
  ): Promise<T> {
    const places: Place[] = [];
    try {
      for (const [path, walk] of paths) {
        const place = this.#wall.resolve(path, walk);
        places.push(place);
        place.requireWritable();
      }
      return await inTurn(places, options.signal, () => change(places));
    } catch (error) {
      for (const place of places) place.undoParents();
      throw error;
    } finally {
      for (const place of places) place.close();
    }
  }
}

function requireFits(path: string, bytes: Buffer, limit: number): void {
  if (bytes.length <= limit) return;
  fail({ kind: 'too-large', path, size: bytes.length, limit, action: 'write' });
}
