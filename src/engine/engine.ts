/**
 * The façade: one method for each thing that can be done to files. Each gives a value or throws one failure.
 *
 * Whatever changes the disk goes through `Calls.change`, the one narrow place where turns are taken and the
 * journal is written.
 */

import { Calls } from './access/access.ts';
import type { CommandDesk } from './api/commands.ts';
import { HistoryDesk } from './api/history.ts';
import type { SearchDesk } from './api/search.ts';
import { type Caller, type How, nobody } from './caller.ts';
import type { Stat } from './confine/dir.ts';
import { attempt } from './confine/errno.ts';
import type { Protection } from './confine/protection.ts';
import { EngineFailure, type Failure, fail } from './failures.ts';
import type { TextEdit } from './files/edit/text-editor.ts';
import { readTextLines, readTextTail } from './files/lines/read-lines.ts';
import { buildTree, type ListedEntry, listEntries, type TreeNode } from './files/list.ts';
import { type ListAllOptions, type ListingBelow, listBelow } from './files/list-recursive.ts';
import { moveEntry } from './files/move.ts';
import { type FileContent, readContent, readSnapshot, readText } from './files/read.ts';
import { type FileStart, readStart, type StartOptions } from './files/read-start.ts';
import { doing } from './files/recorder.ts';
import { removeEntry } from './files/remove.ts';
import { replaceContent, requireUnchanged } from './files/replace.ts';
import { replaceTogether, requireDifferent } from './files/replace-many.ts';
import { replaceBytes, requireFits, rewriteTogether } from './files/rewrite.ts';
import { limits } from './limits.ts';
import { desks, type EngineOptions, open, type Shared } from './opening.ts';
import { ripgrep } from './search/ripgrep/ripgrep.ts';
import type { LineInsertion } from './text/lines/insert-lines.ts';
import type { LineDiff, LineDiffOptions } from './text/lines/line-diffs.ts';
import type { LineRange } from './text/lines/line-span.ts';
import type { EditFacts, RewriteResults, Rewriting } from './text/rewrite.ts';

/** What comes with every call: how it can be cancelled. */
export interface Call {
  signal?: AbortSignal | undefined;
}

/** For what stores a text of the caller's. */
export interface StoreCall extends Call {
  /** The most bytes that the file may have afterwards; the engine's own limit holds in any case. */
  limit?: number;
}

export interface PatchResult {
  action: 'changed' | 'created' | 'deleted';
  hunks: number;
}

export interface RootInfo {
  path: string;
  /** With all links resolved. */
  real: string;
  writable: boolean;
}

export class Engine {
  readonly #shared: Shared;
  readonly #calls: Calls;
  readonly commands: CommandDesk;
  readonly search: SearchDesk;
  readonly history: HistoryDesk;

  /** `shared` and `caller` are for `within` and `as` alone. */
  constructor(options: EngineOptions, shared?: Shared, caller: Caller = nobody) {
    this.#shared = shared ?? open(options);
    const { calls, commands, search } = this.#shared;
    this.#calls = caller === nobody ? calls : calls.as(caller);
    this.commands = caller === nobody ? commands : commands.as(this.#calls);
    this.search = caller === nobody ? search : search.as(this.#calls);
    this.history = new HistoryDesk(this.#calls);
  }

  /** The same engine, working for one caller: what it touches is told, and entered in the journal in its name. */
  as(caller: Caller): Engine {
    return new Engine({ roots: [] }, this.#shared, caller);
  }

  get protection(): Protection {
    return this.#calls.wall.protection;
  }

  get roots(): RootInfo[] {
    return this.#calls.wall.roots.map((root) => ({
      path: root.given,
      real: root.real,
      writable: root.readOnly === undefined,
    }));
  }

  /** Tells the caller of a failure that a dialect found by itself, as of a path that it refuses by its looks. */
  tellFailure(facts: Failure): void {
    this.#calls.tellFailure(facts);
  }

  /** Whether ripgrep helps with patterns that have nothing to look for; search works without it too. */
  async searchHelp(): Promise<{ active: boolean; says: string }> {
    const { path, says } = await ripgrep();
    return { active: path !== undefined, says };
  }

  /** Takes no further calls, lets those under way end, and gives back what is held. */
  async close(): Promise<void> {
    const { calls, editor, commands, search, narrowed, outer } = this.#shared;
    const ended = calls.close();
    if (outer) outer.#shared.narrowed.delete(this);
    else await editor.close();
    await Promise.all([commands.close(), search.close()]);
    await ended;
    await Promise.all([...narrowed].map((engine) => engine.close()));
    calls.wall.close();
    if (!outer) await calls.journal?.close();
  }

  /** An engine for one directory inside, which reaches nothing else. It is closed with this one at the latest. */
  within(path: string): Promise<Engine> {
    return this.#calls.look(path, 'looked-at', async (place) => {
      const { editor, narrowed, calls: outer } = this.#shared;
      const { arrivals, journal } = outer;
      const calls = new Calls({ wall: outer.wall.within(place), arrivals, journal });
      const shared = { ...desks(calls, {}), calls, editor, narrowed: new Set<Engine>(), outer: this };
      const engine = new Engine({ roots: [] }, shared);
      narrowed.add(engine);
      return engine;
    });
  }

  // Looking

  read(path: string, options: { limit?: number } & Call = {}): Promise<FileContent> {
    return this.#calls.look(
      path,
      'read',
      (place) => readContent(place, options),
      ({ bytes, stat }) => factsOf(bytes.length, stat),
    );
  }

  /** The whole text of a file, byte-order mark included; fails when it is not valid UTF-8. */
  readText(path: string, options: { limit?: number } & Call = {}): Promise<{ text: string; bytes: number }> {
    return this.#calls.look(
      path,
      'read',
      (place) => readText(place, options),
      ({ bytes }) => ({ bytes }),
    );
  }

  /** The first bytes of a file of any size, and what they say when they are text. */
  readStart(path: string, options: StartOptions): Promise<FileStart> {
    return this.#calls.look(path, 'read', (place) => readStart(place, options));
  }

  /** Some lines of a text file of any size, without their ends; an end beyond the file means its last line. */
  readLines(path: string, range: LineRange, options: Call = {}): Promise<string[]> {
    return this.#calls.look(path, 'read', (place) => readTextLines(place, range, options.signal));
  }

  /** The last lines of a text file of any size, without their ends: read from its end. */
  readTail(path: string, lines: number, options: Call = {}): Promise<string[]> {
    return this.#calls.look(path, 'read', (place) => readTextTail(place, lines, options.signal));
  }

  /** The whole texts of several files, which together keep to the limit of one; fails when one cannot be read. */
  readTexts(paths: readonly string[], options: Call = {}): Promise<string[]> {
    return this.#calls.inOrder(paths, 'look', async () => {
      const texts: string[] = [];
      let left: number = limits.wholeFileBytes;
      for (const path of paths) {
        const limit = left;
        const { text, bytes } = await this.#calls.lookNow(path, 'read', (place) =>
          readText(place, { ...options, limit }),
        );
        texts.push(text);
        left -= bytes;
      }
      return texts;
    });
  }

  list(path: string, options: Call = {}): Promise<ListedEntry[]> {
    return this.#calls.look(path, 'listed', (place) => listEntries(this.#calls.wall, place, options.signal));
  }

  tree(path: string, options: { depth?: number } & Call = {}): Promise<TreeNode> {
    const depth = options.depth ?? Number.POSITIVE_INFINITY;
    return this.#calls.look(path, 'listed', (place) =>
      buildTree(this.#calls.wall, place, depth, options.signal),
    );
  }

  /** What is in a directory and below it, with types and sizes, in the order of the paths. */
  listAll(path: string, options: ListAllOptions & Call = {}): Promise<ListingBelow> {
    return this.#calls.look(path, 'listed', (place) => listBelow(place, options));
  }

  info(path: string): Promise<Stat & { path: string }> {
    return this.#calls.look(path, 'looked-at', async (place) => {
      return { ...place.mustExist('entry'), path: place.path };
    });
  }

  /** What stands at a path, for those who only ask whether something does; undefined when nothing can be seen there. */
  peek(path: string): Promise<Stat | undefined> {
    return this.#calls.inOrder([path], 'look', async () => {
      try {
        return this.#calls.wall.at(path, {}, (place) => {
          const found = place.lstat();
          if (found) this.#calls.caller.touched({ path: place.path, how: 'looked-at' });
          return found;
        });
      } catch (error) {
        if (error instanceof EngineFailure && error.facts.kind !== 'io') return undefined;
        throw error;
      }
    });
  }

  /** Fails when the path leads outside or, when asked, to where nothing may be changed; the entry may be missing. */
  async check(path: string, needs: 'read' | 'write'): Promise<{ path: string }> {
    return this.#calls.look(path, 'looked-at', async (place) => {
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
    const concerned = { path, walk: { makeParents: true }, how: 'changed' } as const;
    return this.#calls.change([concerned], options, async ([place], recording) => {
      if (options.limit !== undefined) requireFits(path, bytes, options.limit);
      await replaceContent(place!, bytes, { signal: options.signal, recording });
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
    const how = 'changed' as const;
    const concerned = files.map(({ path }) => ({ path, walk: { makeParents: true }, how }));
    return this.#calls.change(concerned, options, async (places, recording) => {
      requireDifferent(places);
      const replacements = places.map((place, index) => ({ place, bytes: contents[index]! }));
      await replaceTogether(replacements, options.signal, recording);
      return contents.map((bytes) => ({ bytes: bytes.length }));
    });
  }

  makeDirectory(path: string, options: { parents?: boolean } & Call = {}): Promise<{ created: boolean }> {
    const walk = { makeParents: options.parents ?? true };
    const concerned = { path, walk, how: 'created' } as const;
    return this.#calls.change([concerned], options, async ([place], recording) => {
      const found = place!.lstat();
      if (found?.type === 'directory') return { created: false };
      if (found) fail({ kind: 'exists', path, found: found.type });
      await recording.creates(place!, 'directory');
      doing(recording, () => attempt(path, 'create', () => place!.dir.mkdir(place!.name)));
      return { created: true };
    });
  }

  move(
    from: string,
    to: string,
    options: { overwrite?: boolean } & Call = {},
  ): Promise<{ overwritten: boolean }> {
    const { overwrite = false, signal } = options;
    const concerned = [
      { path: from, walk: { follow: false }, how: 'moved-from' },
      { path: to, walk: { follow: false, makeParents: true }, how: 'moved-to' },
    ] as const;
    return this.#calls.change(concerned, options, ([source, target], recording) =>
      moveEntry(this.#calls.wall, source!, target!, { overwrite, signal, recording }),
    );
  }

  remove(
    path: string,
    options: { recursive?: boolean } & Call = {},
  ): Promise<{ removed: 'file' | 'directory' | 'symlink' }> {
    const { recursive = false, signal } = options;
    const concerned = { path, walk: { follow: false }, how: 'removed' } as const;
    return this.#calls.change([concerned], options, async ([place], recording) => {
      const removed = await removeEntry(this.#calls.wall, place!, { recursive, signal, recording });
      await place!.dir.flush();
      return { removed };
    });
  }

  edit(path: string, edits: readonly TextEdit[], options: StoreCall = {}): Promise<EditFacts> {
    return this.#rewrite({ kind: 'edit', path, edits }, options);
  }

  /** Adds lines to several files, to all of them or to none. */
  insertLines(
    insertions: readonly ({ path: string } & LineInsertion)[],
    options: Call = {},
  ): Promise<RewriteResults['insert'][]> {
    const jobs = insertions.map(({ path, ...insertion }) => ({ kind: 'insert' as const, path, insertion }));
    return this.#rewriteAll(jobs, options);
  }

  /** Replaces blocks of lines that stand where they are said to stand. */
  applyLineDiffs(
    path: string,
    diffs: readonly LineDiff[],
    options: LineDiffOptions & Call = {},
  ): Promise<RewriteResults['line-diffs']> {
    const { trim = false, partly = false, signal } = options;
    return this.#rewrite({ kind: 'line-diffs', path, diffs, options: { trim, partly } }, { signal });
  }

  /** Adds text at the very end of an existing file, with the line ends that the file has. */
  append(path: string, content: string, options: Call = {}): Promise<{ bytes: number }> {
    return this.#rewrite({ kind: 'append', path, content }, options);
  }

  /** Applies a unified diff of one file: changes it, creates it or deletes it, as the diff says. */
  async patch(path: string, patch: string, options: Call = {}): Promise<PatchResult> {
    const { editor } = this.#shared;
    const { signal } = options;
    // Where a path leads counts before what the patch says; a new file may get new directories above it.
    await this.check(path, 'write').catch((error: unknown) => {
      if (!(error instanceof EngineFailure) || error.facts.kind !== 'not-found') throw error;
    });
    const { bytes: created, result } = await editor.run(
      { kind: 'read-patch', path, patch },
      undefined,
      signal,
    );
    const { action, hunks } = result;
    if (action === 'create') {
      if (created) await this.write(path, created, options);
      return { action: 'created', hunks };
    }
    return this.#calls.change([{ path, how: 'changed' }], options, async ([place], recording) => {
      const snapshot = await readSnapshot(place!, { signal, action: 'edit' });
      const patched = await editor.run({ kind: 'patch', path, patch }, snapshot.bytes, signal);
      if (patched.result.deleted) {
        const check = () => requireUnchanged(place!, snapshot);
        await removeEntry(this.#calls.wall, place!, { recursive: false, signal, recording, check });
        await place!.dir.flush();
        return { action: 'deleted', hunks };
      }
      await replaceBytes(place!, snapshot, patched.bytes, { ...options, recording });
      return { action: 'changed', hunks };
    });
  }

  /** What `edit` would do, as a unified diff of a file called `name`, without leave to change anything. */
  previewEdit(
    path: string,
    edits: readonly TextEdit[],
    options: { name: string } & Call,
  ): Promise<{ diff: string }> {
    return this.#calls.look(path, 'read', async (place) => {
      const { name, signal } = options;
      const { bytes } = await readSnapshot(place, { signal, action: 'edit' });
      const { result } = await this.#shared.editor.run({ kind: 'preview', path, edits, name }, bytes, signal);
      return result;
    });
  }

  async #rewrite<J extends Rewriting>(job: J, options: StoreCall): Promise<RewriteResults[J['kind']]> {
    const [result] = await this.#rewriteAll([job], options);
    return result!;
  }

  #rewriteAll<J extends Rewriting>(
    jobs: readonly J[],
    options: StoreCall,
  ): Promise<RewriteResults[J['kind']][]> {
    const how: How = 'changed';
    const existing = jobs.map(({ path }) => ({ path, how }));
    const compute = (bytes: Buffer, index: number) =>
      this.#shared.editor.run(jobs[index]!, bytes, options.signal);
    return this.#calls.change(existing, options, (places, recording) =>
      rewriteTogether(places, compute, { ...options, recording }),
    );
  }
}

/** What is told of a file that was read. */
function factsOf(bytes: number, { links }: Stat): { bytes: number; links?: number } {
  return links > 1 ? { bytes, links } : { bytes };
}
