/**
 * Operations on files, one method for each, which returns a value or throws one failure. This file has edits and
 * patches; `reading.ts` has what only reads, `changing.ts` what writes, moves and removes whole entries.
 */
import type { Access } from '../access/access.ts';
import type { ChangedPath } from '../access/changes.ts';
import type { Charset } from '../charset/names.ts';
import type { Place } from '../confine/place.ts';
import { isWithin } from '../confine/roots.ts';
import { Yielder } from '../event-loop.ts';
import { EngineFailure, fail } from '../failures.ts';
import { applyPlans, type ComputeFile, contentOf } from '../files/apply-plans.ts';
import { requireUnchanged } from '../files/atomic-replace.ts';
import type { TextEdit, TextEditor } from '../files/edit/text-editor.ts';
import { editedEncoding } from '../files/encoding/stored-encoding.ts';
import { readSnapshot } from '../files/read/read.ts';
import { shortContentHash } from '../files/read/short-content-hash.ts';
import { removeEntry } from '../files/remove.ts';
import { replaceBytes, rewriteFile, rewriteTogether } from '../files/rewrite.ts';
import type { ListedEdit } from '../text/edit-list.ts';
import type { LineInsertion } from '../text/lines/insert-lines.ts';
import type { LineDiff, LineDiffOptions } from '../text/lines/line-diffs.ts';
import type { PlannedFile } from '../text/patch/planned-files.ts';
import type { EditFacts, EditListResult, RewriteJob, RewriteResults } from '../text/rewrite.ts';
import { ChangingApi, type ExpectingCall, requireHash, type StoreCall } from './changing.ts';
import type { Call } from './reading.ts';

export interface EditListOptions extends ExpectingCall {
  /** The file's name in the diff, and how many unchanged lines the diff shows around a change. */
  name: string;
  context?: number;
  /** The content that the author of the edits last read. */
  remembered?: Buffer | undefined;
  /** Reports what the edits would do, without making them. */
  dryRun?: boolean | undefined;
}

export interface PatchResult {
  action: 'changed' | 'created' | 'deleted';
  hunks: number;
}

export class FilesApi extends ChangingApi {
  readonly #editor: TextEditor;

  constructor(access: Access, editor: TextEditor) {
    super(access);
    this.#editor = editor;
  }

  as(access: Access): FilesApi {
    return new FilesApi(access, this.#editor);
  }

  /** What `edit` would do, as a unified diff of a file called `name`. It also works where nothing may be changed. */
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

  edit(path: string, edits: readonly TextEdit[], options: StoreCall = {}): Promise<EditFacts> {
    return this.#rewrite({ kind: 'edit', path, edits }, options);
  }

  /**
   * Makes a list of edits, by text or by anchors, all of them or none. A refusal is a result, and changes nothing.
   * `path` in the result has all links resolved.
   */
  async editList(
    path: string,
    edits: readonly ListedEdit[],
    options: EditListOptions,
  ): Promise<{ result: EditListResult; hash: string; path: string }> {
    const { ifHash, signal, ...rest } = options;
    const compute = async (bytes: Buffer, place: Place) => {
      await requireHash(path, bytes, ifHash);
      const encoding = editedEncoding(bytes, this.declaredFor(place), path);
      const job = { kind: 'edit-list' as const, path, edits, encoding, ...rest };
      const { bytes: after, result } = await this.#editor.run(job, bytes, signal);
      const hash = await shortContentHash(after ?? bytes);
      return { bytes: after, result: { result, hash, path: place.path } };
    };
    if (rest.dryRun) {
      return this.readAt(path, 'read', async (place) => {
        const { bytes } = await readSnapshot(place, { signal, action: 'edit' });
        return (await compute(bytes, place)).result;
      });
    }
    return this.changeOne(changedIn({ path }), { signal }, (place, recorder) =>
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
    return this.changeAll(jobs.map(changedIn), options, (places, recorder) =>
      rewriteTogether(places, compute, { ...options, recorder }),
    );
  }

  /** Replaces blocks of lines that must be at the stated lines. */
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
    return this.changeOne({ path, how: 'changed' }, options, async (place, recorder) => {
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

  /** What a patch would do to several files, by the paths that it names. */
  async planPatch(patch: string, options: Call = {}): Promise<readonly PlannedFile[]> {
    const { result } = await this.#editor.run(
      { kind: 'plan-patch', path: '', patch },
      undefined,
      options.signal,
    );
    return result.plans;
  }

  /**
   * Does what a patch plans for several files, all of it or nothing. The paths in the plans are absolute. Returns the
   * short hash of each file's new content: undefined for a file that is gone, and an empty list for a dry run.
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
    return this.changeAll(changed, options, (places, recorder) => {
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
      const yielder = new Yielder(signal);
      for (const plan of plans) {
        await yielder.pause();
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

  /** The encoding declared for a file. Neither the file nor the directories above it need to exist. */
  #declaredAt(path: string): Charset | undefined {
    const { wall, encodings } = this.access;
    const absolute = wall.absolute(path);
    const root = wall.roots.find(({ real }) => isWithin(absolute, real));
    return root && encodings.of(wall, { path: absolute, root });
  }

  #rewrite<J extends RewriteJob>(job: J, options: StoreCall): Promise<RewriteResults[J['kind']]> {
    const compute = (bytes: Buffer) => this.#editor.run(job, bytes, options.signal);
    return this.changeOne(changedIn(job), options, (place, recorder) =>
      rewriteFile(place, compute, { ...options, recorder }),
    );
  }
}

/** A file to change, which must exist. */
function changedIn({ path }: { path: string }): ChangedPath {
  return { path, how: 'changed' };
}
