/** What can be done to files: one method for each operation, which gives a value or throws one failure. `reading.ts` has those that only read. */
import type { Access } from '../access/access.ts';
import type { ChangedPath } from '../access/changes.ts';
import { UTF8 } from '../charset/codec.ts';
import type { Charset } from '../charset/names.ts';
import type { Place } from '../confine/place.ts';
import { isWithin } from '../confine/roots.ts';
import { Yielder } from '../event-loop.ts';
import { EngineFailure, fail } from '../failures.ts';
import { applyPlans, type ComputeFile, contentOf } from '../files/apply-plans.ts';
import { contentHash } from '../files/content-hash.ts';
import type { TextEdit, TextEditor } from '../files/edit/text-editor.ts';
import { encodedInTurns } from '../files/encoding/in-turns.ts';
import { editedEncoding, storedEncoding } from '../files/encoding/stored-encoding.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { moveEntry } from '../files/move.ts';
import { readSnapshot } from '../files/read.ts';
import type { ChangeRecorder } from '../files/recorder.ts';
import { removeEntry } from '../files/remove.ts';
import { replaceContent, requireUnchanged, type Snapshot } from '../files/replace.ts';
import { replaceTogether, requireDifferent } from '../files/replace-many.ts';
import { replaceBytes, requireFits, rewriteFile, rewriteTogether } from '../files/rewrite.ts';
import type { ListedEdit } from '../text/edit-list.ts';
import type { LineInsertion } from '../text/lines/insert-lines.ts';
import type { LineDiff, LineDiffOptions } from '../text/lines/line-diffs.ts';
import type { PlannedFile } from '../text/patch/planned-files.ts';
import type { EditFacts, EditListResult, RewriteResults, Rewriting } from '../text/rewrite.ts';
import { type Call, ReadingApi } from './reading.ts';

/** For operations that store a text of the caller's. */
export interface StoreCall extends Call {
  /** The most bytes that the file may have afterwards; the engine's own limit holds in any case. */
  limit?: number;
}

/** For operations that a caller wants done only to the content that it knows. */
export interface ExpectingCall extends Call {
  /** The short hash of the content that must be there. */
  ifHash?: string | undefined;
}

export interface EditListOptions extends ExpectingCall {
  /** The file's name in the diff, and how many unchanged lines that shows around a change. */
  name: string;
  context?: number;
  /** What the author of the edits last read of the file. */
  remembered?: Buffer | undefined;
  /** Only tells what the edits would do. */
  dryRun?: boolean | undefined;
}

export interface PatchResult {
  action: 'changed' | 'created' | 'deleted';
  hunks: number;
}

export class FilesApi extends ReadingApi {
  readonly #editor: TextEditor;

  constructor(access: Access, editor: TextEditor) {
    super(access);
    this.#editor = editor;
  }

  as(access: Access): FilesApi {
    return new FilesApi(access, this.#editor);
  }

  /** What `edit` would do, as a unified diff of a file called `name`; works where nothing may be changed too. */
  previewEdit(
    path: string,
    edits: readonly TextEdit[],
    options: { name: string } & Call,
  ): Promise<{ diff: string }> {
    const { name, signal } = options;
    return this.readAt(path, 'read', async (place) => {
      const { bytes } = await readSnapshot(place, { signal, action: 'edit' });
      const { result } = await this.#editor.run({ kind: 'preview', path, edits, name }, bytes, signal);
      return result;
    });
  }

  write(
    path: string,
    content: string | Buffer,
    options: StoreCall & ExpectingCall = {},
  ): Promise<{ path: string; bytes: number }> {
    return this.#write(path, options, (place) => asBytes(content, place, new Yielder(options.signal)));
  }

  /**
   * Writes a text in the encoding of the file that it replaces, with its byte-order mark, and a new file in the one
   * that is declared for it. Gives the short hash of what the file holds then.
   */
  async writeText(path: string, text: string, options: ExpectingCall = {}): Promise<{ hash: string }> {
    const { signal } = options;
    let hash = '';
    await this.#write(path, options, async (place) => {
      const encoding = await storedEncoding(place, this.declaredFor(place), signal);
      const bytes = await encodedInTurns(text, encoding, path, new Yielder(signal));
      hash = await contentHash(bytes);
      return bytes;
    });
    return { hash };
  }

  #write(
    path: string,
    options: StoreCall & ExpectingCall,
    contentFor: (place: Place) => Promise<Buffer>,
  ): Promise<{ path: string; bytes: number }> {
    return this.#changeOne(written(path), options, async (place, recorder) => {
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
    return this.#changeAll(changed, options, async (places, recorder) => {
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
    return this.#changeOne({ path, walk: { makeParents }, how: 'created' }, options, makeDirectory);
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
    return this.#changeAll(changed, options, async ([source, target], recorder) => {
      await expectedSnapshot(source!, options);
      return moveEntry(this.access.wall, source!, target!, { overwrite, signal, recorder });
    });
  }

  remove(
    path: string,
    options: { recursive?: boolean } & ExpectingCall = {},
  ): Promise<{ removed: 'file' | 'directory' | 'symlink' }> {
    const { recursive = false, signal } = options;
    const changed = { path, walk: { follow: false }, how: 'removed' } as const;
    return this.#changeOne(changed, options, async (place, recorder) => {
      const expect = await expectedSnapshot(place, options);
      const check = expect && (() => requireUnchanged(place, expect));
      const how = { recursive, signal, recorder, ...(check && { check }) };
      const removed = await removeEntry(this.access.wall, place, how);
      await place.dir.flush();
      return { removed };
    });
  }

  edit(path: string, edits: readonly TextEdit[], options: StoreCall = {}): Promise<EditFacts> {
    return this.#rewrite({ kind: 'edit', path, edits }, options);
  }

  /** Makes a list of edits, by text or by anchors, all of them or none; a refusal is a result and changes nothing. */
  async editList(
    path: string,
    edits: readonly ListedEdit[],
    options: EditListOptions,
  ): Promise<{ result: EditListResult; hash: string }> {
    const { ifHash, signal, ...rest } = options;
    const compute = async (bytes: Buffer, place: Place) => {
      await requireHash(path, bytes, ifHash);
      const encoding = editedEncoding(bytes, this.declaredFor(place), path);
      const job = { kind: 'edit-list' as const, path, edits, encoding, ...rest };
      const { bytes: after, result } = await this.#editor.run(job, bytes, signal);
      return { bytes: after, result: { result, hash: await contentHash(after ?? bytes) } };
    };
    if (rest.dryRun) {
      return this.readAt(path, 'read', async (place) => {
        const { bytes } = await readSnapshot(place, { signal, action: 'edit' });
        return (await compute(bytes, place)).result;
      });
    }
    return this.#changeOne(changedIn({ path }), { signal }, (place, recorder) =>
      rewriteFile(place, (bytes) => compute(bytes, place), { signal, recorder }),
    );
  }

  /** Adds lines to several files, to all of them or to none. */
  insertLines(
    insertions: readonly ({ path: string } & LineInsertion)[],
    options: Call = {},
  ): Promise<RewriteResults['insert'][]> {
    const jobs = insertions.map(({ path, ...insertion }) => ({ kind: 'insert' as const, path, insertion }));
    const compute = (bytes: Buffer, index: number) => this.#editor.run(jobs[index]!, bytes, options.signal);
    return this.#changeAll(jobs.map(changedIn), options, (places, recorder) =>
      rewriteTogether(places, compute, { ...options, recorder }),
    );
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
    const { signal } = options;
    // A path outside is an error whatever the patch says. A new file may get new directories above it.
    await this.check(path, 'write').catch((error: unknown) => {
      if (!(error instanceof EngineFailure) || error.facts.kind !== 'not-found') throw error;
    });
    const parsed = await this.#editor.run({ kind: 'read-patch', path, patch }, undefined, signal);
    const { action, hunks } = parsed.result;
    if (action === 'create') {
      if (parsed.bytes) await this.write(path, parsed.bytes, options);
      return { action: 'created', hunks };
    }
    return this.#changeOne({ path, how: 'changed' }, options, async (place, recorder) => {
      const snapshot = await readSnapshot(place, { signal, action: 'edit' });
      const patched = await this.#editor.run({ kind: 'patch', path, patch }, snapshot.bytes, signal);
      if (patched.result.deleted) {
        const check = () => requireUnchanged(place, snapshot);
        await removeEntry(this.access.wall, place, { recursive: false, signal, recorder, check });
        await place.dir.flush();
        return { action: 'deleted', hunks };
      }
      await replaceBytes(place, snapshot, patched.bytes, { ...options, recorder });
      return { action: 'changed', hunks };
    });
  }

  /**
   * Does what a patch plans for several files, all of it or nothing. The paths in the plans are absolute. Gives the
   * short hash of what each file holds afterwards; undefined for one that is gone, and none of a dry run.
   */
  patchFiles(
    plans: readonly PlannedFile[],
    options: { dryRun?: boolean } & Call = {},
  ): Promise<(string | undefined)[]> {
    const { signal, dryRun } = options;
    const compute: ComputeFile = (plan, bytes, encoding) =>
      this.#editor.run({ kind: 'planned-file', path: plan.from ?? plan.to!, plan, encoding }, bytes, signal);
    if (dryRun) return this.#tryPlans(plans, compute, signal);
    const changed = plans.flatMap(({ from, to }): ChangedPath[] => [
      ...(from === undefined ? [] : [{ path: from, how: to === undefined ? 'removed' : 'changed' } as const]),
      ...(to === undefined || to === from
        ? []
        : [{ path: to, walk: { makeParents: true }, how: 'created' } as const]),
    ]);
    return this.#changeAll(changed, options, (places, recorder) => {
      const next = places.values();
      const placed = plans.map((plan) => {
        const from = plan.from === undefined ? undefined : next.next().value;
        const to = plan.to === plan.from ? from : plan.to === undefined ? undefined : next.next().value;
        return { plan, from, to };
      });
      const declaredFor = (place: Place) => this.declaredFor(place);
      return applyPlans(placed, compute, { declaredFor, signal, recorder });
    });
  }

  /** Fails where the plans would, and changes nothing. */
  #tryPlans(
    plans: readonly PlannedFile[],
    compute: ComputeFile,
    signal: AbortSignal | undefined,
  ): Promise<[]> {
    const paths = plans.flatMap(({ from, to }) => [from, to].filter((path) => path !== undefined));
    return this.access.read(paths, {}, async (open) => {
      for (const plan of plans) {
        const { from, to } = plan;
        if (from === undefined) await contentOf(plan, undefined, () => this.#declaredAt(to!), compute);
        else {
          await open(from, 'read', async (place) => {
            const old = await readSnapshot(place, { signal, action: 'edit' });
            await contentOf(plan, old, this.declaredFor(place), compute);
          });
        }
        const found = to === undefined || to === from ? undefined : this.peekAt(to);
        if (found) fail({ kind: 'exists', path: to!, found: found.type });
      }
      return [];
    });
  }

  /** For a file that need not be there, nor the directories above it. */
  #declaredAt(path: string): Charset | undefined {
    const { wall, encodings } = this.access;
    const absolute = wall.absolute(path);
    const root = wall.roots.find(({ real }) => isWithin(absolute, real));
    return root && encodings.of(wall, { path: absolute, root });
  }

  #rewrite<J extends Rewriting>(job: J, options: StoreCall): Promise<RewriteResults[J['kind']]> {
    const compute = (bytes: Buffer) => this.#editor.run(job, bytes, options.signal);
    return this.#changeOne(changedIn(job), options, (place, recorder) =>
      rewriteFile(place, compute, { ...options, recorder }),
    );
  }

  #changeOne<T>(
    changed: ChangedPath,
    options: Call,
    change: (place: Place, recorder: ChangeRecorder) => Promise<T>,
  ): Promise<T> {
    return this.#changeAll([changed], options, ([place], recorder) => change(place!, recorder));
  }

  #changeAll<T>(
    changed: readonly ChangedPath[],
    { signal }: Call,
    change: (places: Place[], recorder: ChangeRecorder) => Promise<T>,
  ): Promise<T> {
    const paths = changed.map(({ path }) => path);
    return this.access.change(paths, { signal }, (changes) => changes.at(changed, change));
  }
}

/** What stands there, where the caller expects a certain content. */
async function expectedSnapshot(
  place: Place,
  { ifHash, signal }: ExpectingCall,
): Promise<Snapshot | undefined> {
  if (ifHash === undefined) return undefined;
  const snapshot = await readSnapshot(place, { signal });
  await requireHash(place.shown, snapshot.bytes, ifHash);
  return snapshot;
}

async function requireHash(path: string, bytes: Buffer, ifHash: string | undefined): Promise<void> {
  if (ifHash === undefined) return;
  const hash = await contentHash(bytes);
  if (hash !== ifHash.toLowerCase()) fail({ kind: 'changed-meanwhile', path, hash });
}

async function asBytes(content: string | Buffer, { shown }: Place, yielder: Yielder): Promise<Buffer> {
  return typeof content === 'string' ? encodedInTurns(content, UTF8, shown, yielder) : content;
}

/** A file that is written anew; missing directories above it are made. */
function written(path: string): ChangedPath {
  return { path, walk: { makeParents: true }, how: 'changed' };
}

/** A file that must be there. */
function changedIn({ path }: { path: string }): ChangedPath {
  return { path, how: 'changed' };
}
