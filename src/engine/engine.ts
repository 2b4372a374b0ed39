/**
 * The façade: one method for each thing that can be done to files. Each gives a value or throws one failure.
 *
 * Whatever changes the disk goes through `#change`, the one narrow place where turns are taken.
 */

import { resolve as resolvePath } from 'node:path';
import { CommandDesk, type CommandSettings } from './command-desk.ts';
import type { Stat } from './confine/dir.ts';
import { attempt } from './confine/errno.ts';
import type { Place } from './confine/place.ts';
import type { Protection } from './confine/protection.ts';
import type { RootSpec } from './confine/roots.ts';
import { type WalkOptions, Wall } from './confine/wall.ts';
import { EngineFailure, fail } from './failures.ts';
import { Arrivals, type Doing } from './files/arrivals.ts';
import { replaceContent, requireUnchanged } from './files/atomic.ts';
import { type ListAllOptions, type ListingBelow, listBelow } from './files/below.ts';
import { type FileContent, readContent, readSnapshot, readText, textOf } from './files/contents.ts';
import { Editor, type TextEdit } from './files/editing.ts';
import { readTextLines } from './files/line-range.ts';
import { buildTree, type ListedEntry, listEntries, type TreeNode } from './files/listing.ts';
import { moveEntry } from './files/moving.ts';
import { removeEntry } from './files/removal.ts';
import { type Rewritten, replaceText, requireFits, rewriteTogether } from './files/rewriting.ts';
import { type FileStart, readStart, type StartOptions } from './files/start.ts';
import { replaceTogether, requireDifferent } from './files/together.ts';
import { inTurn } from './files/turns.ts';
import { limits } from './limits.ts';
import { ripgrep } from './run/ripgrep.ts';
import { SearchDesk } from './search-desk.ts';
import { applyPatch } from './text/apply-patch.ts';
import { lineEndingOf, withLineEnding } from './text/encoding.ts';
import { insertLines, type LineInsertion, type LinesInserted } from './text/insert-lines.ts';
import {
  applyLineDiffs,
  type LineDiff,
  type LineDiffOptions,
  type LineDiffsApplied,
} from './text/line-diffs.ts';
import type { LineRange } from './text/line-span.ts';
import { parsePatch } from './text/patch.ts';

export interface EngineOptions {
  roots: readonly RootSpec[];
  /** No operation can change anything. */
  readOnly?: boolean;
  /** `verified` asks for the wall's fallback although a stronger one would work. */
  protection?: 'strongest' | 'verified';
  commands?: CommandSettings;
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
  readonly #editor: Editor;
  readonly #arrivals: Arrivals;
  /** The engine that this one was narrowed from: they share the regex workers and the order of calls. */
  readonly #outer: Engine | undefined;
  readonly #narrowed = new Set<Engine>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;
  readonly commands: CommandDesk;
  readonly search: SearchDesk;

  /** `narrowed` is for `within` alone. */
  constructor(options: EngineOptions, narrowed?: { from: Engine; wall: Wall }) {
    const { readOnly = false, protection = 'strongest' } = options;
    this.#outer = narrowed?.from;
    this.#wall = narrowed?.wall ?? new Wall(options.roots, { readOnly, protection });
    this.#editor = narrowed ? narrowed.from.#editor : new Editor();
    this.#arrivals = narrowed ? narrowed.from.#arrivals : new Arrivals();
    this.commands = new CommandDesk(this.#wall, options.commands ?? {}, this.#arrivals);
    this.search = new SearchDesk(this.#wall, this.#arrivals);
  }

  get protection(): Protection {
    return this.#wall.protection;
  }

  get roots(): RootInfo[] {
    return this.#wall.roots.map((root) => ({ path: root.given, writable: root.readOnly === undefined }));
  }

  /** Whether ripgrep helps with patterns that have nothing to look for; search works without it too. */
  async searchHelp(): Promise<{ active: boolean; says: string }> {
    const { path, says } = await ripgrep();
    return { active: path !== undefined, says };
  }

  /** Takes no further calls, lets those under way end, and gives back what is held. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#outer) this.#outer.#narrowed.delete(this);
    else await this.#editor.close();
    await Promise.all([this.commands.close(), this.search.close()]);
    await Promise.allSettled(this.#underWay);
    await Promise.all([...this.#narrowed].map((engine) => engine.close()));
    this.#wall.close();
  }

  /** An engine for one directory inside, which reaches nothing else. It is closed with this one at the latest. */
  within(path: string): Promise<Engine> {
    return this.#at(path, {}, async (place) => {
      const engine = new Engine({ roots: [] }, { from: this, wall: this.#wall.within(place) });
      this.#narrowed.add(engine);
      return engine;
    });
  }

  // Looking

  read(path: string, options: { limit?: number } & Call = {}): Promise<FileContent> {
    return this.#at(path, {}, (place) => readContent(place, options));
  }

  /** The whole text of a file, byte-order mark included; fails when it is not valid UTF-8. */
  readText(path: string, options: { limit?: number } & Call = {}): Promise<{ text: string; bytes: number }> {
    return this.#at(path, {}, (place) => readText(place, options));
  }

  /** The first bytes of a file of any size, and what they say when they are text. */
  readStart(path: string, options: StartOptions): Promise<FileStart> {
    return this.#at(path, {}, (place) => readStart(place, options));
  }

  /** Some lines of a text file of any size, without their ends; an end beyond the file means its last line. */
  readLines(path: string, range: LineRange, options: Call = {}): Promise<string[]> {
    return this.#at(path, {}, (place) => readTextLines(place, range, options.signal));
  }

  /** The whole texts of several files, which together keep to the limit of one; fails when one cannot be read. */
  readTexts(paths: readonly string[], options: Call = {}): Promise<string[]> {
    return this.#inOrder(paths, 'look', async () => {
      const texts: string[] = [];
      let left: number = limits.wholeFileBytes;
      for (const path of paths) {
        const limit = left;
        const { text, bytes } = await this.#wall.at(path, {}, (place) =>
          readText(place, { ...options, limit }),
        );
        texts.push(text);
        left -= bytes;
      }
      return texts;
    });
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

  /** Writes several files, all of them or none. */
  writeAll(
    files: readonly { path: string; content: string | Buffer }[],
    options: Call = {},
  ): Promise<{ bytes: number }[]> {
    const contents = files.map(({ content }) =>
      typeof content === 'string' ? Buffer.from(content, 'utf8') : content,
    );
    const paths = files.map(({ path }) => [path, { makeParents: true }] as const);
    return this.#change(paths, options, async (places) => {
      requireDifferent(places);
      const replacements = places.map((place, index) => ({ place, bytes: contents[index]! }));
      await replaceTogether(replacements, options.signal);
      return contents.map((bytes) => ({ bytes: bytes.length }));
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

  /** Adds lines to several files, to all of them or to none. */
  insertLines(
    insertions: readonly ({ path: string } & LineInsertion)[],
    options: Call = {},
  ): Promise<LinesInserted[]> {
    const paths = insertions.map(({ path }) => path);
    return this.#rewriteAll(paths, options, async (text, index) => {
      const result = insertLines(text, insertions[index]!, paths[index]!);
      return { after: result.text, result };
    });
  }

  /** Replaces blocks of lines that stand where they are said to stand. */
  applyLineDiffs(
    path: string,
    diffs: readonly LineDiff[],
    options: LineDiffOptions & Call = {},
  ): Promise<LineDiffsApplied> {
    return this.#rewrite(path, options, async (text) => {
      const result = applyLineDiffs(text, diffs, options, path);
      return { after: result.text, result };
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
    // Where a path leads counts before what the patch says; a new file may get new directories above it.
    await this.check(path, 'write').catch((error: unknown) => {
      if (!(error instanceof EngineFailure) || error.facts.kind !== 'not-found') throw error;
    });
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
      await replaceText(place!, snapshot, { ...content, text: patched.text }, options);
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

  async #rewrite<R>(
    path: string,
    options: StoreCall,
    compute: (text: string) => Promise<Rewritten<R>>,
  ): Promise<R> {
    const [result] = await this.#rewriteAll([path], options, compute);
    return result!;
  }

  #rewriteAll<R>(
    paths: readonly string[],
    options: StoreCall,
    compute: (text: string, index: number) => Promise<Rewritten<R>>,
  ): Promise<R[]> {
    const existing = paths.map((path) => [path, {}] as const);
    return this.#change(existing, options, (places) => rewriteTogether(places, compute, options));
  }

  #at<T>(path: string, walk: WalkOptions, use: (place: Place) => Promise<T>): Promise<T> {
    return this.#inOrder([path], 'look', async () => this.#wall.at(path, walk, use));
  }

  /** Every call comes in here. Nothing is closed under a call that has come in. */
  async #inOrder<T>(paths: readonly string[], doing: Doing, call: () => Promise<T>): Promise<T> {
    if (this.#closed) fail({ kind: 'cancelled' });
    const absolute = paths.map((path) => this.#absolute(path));
    const work = this.#arrivals.inOrder(absolute, doing, call);
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
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
    const touched = paths.map(([path]) => path);
    return this.#inOrder(touched, 'change', () => this.#changeNow(paths, options, change));
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
      // What one path made may lie inside what an earlier one made.
      for (const place of places.toReversed()) place.undoParents();
      throw error;
    } finally {
      for (const place of places) place.close();
    }
  }
}
