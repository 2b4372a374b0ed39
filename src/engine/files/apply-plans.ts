/** Makes the changes of a patch to several files: additions, updates, renames and deletions, all of them or none. */
import { type Encoding, encodingOfNew, markOf } from '../charset/codec.ts';
import type { Charset } from '../charset/names.ts';
import type { Place } from '../confine/place.ts';
import { Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { hasSteps, type PlannedFile } from '../text/patch/planned-files.ts';
import type { RewriteOutcome } from '../text/rewrite.ts';
import type { FileSnapshot } from './atomic-replace.ts';
import { type Replacement, replaceTogether, requireDifferent } from './atomic-replace-many.ts';
import { editedEncoding } from './encoding/stored-encoding.ts';
import { readSnapshot } from './read/read.ts';
import { shortContentHash } from './read/short-content-hash.ts';
import type { ChangeRecorder } from './recorder.ts';

/** A file's plan, and where the file is and will be. */
export interface PlacedFile {
  plan: PlannedFile;
  from: Place | undefined;
  /** The same place as `from` when the file keeps its name. */
  to: Place | undefined;
}

/** `encoding` is that of the file, or the one that a new file gets. */
export type ComputeFile = (plan: PlannedFile, bytes: Buffer, encoding: Encoding) => Promise<RewriteOutcome>;

/** Gives the encoding that is declared for a place. */
export type DeclaredFor = (place: Place) => () => Charset | undefined;

/** Returns the short hash of each file's new content; undefined for a file that is deleted. */
export async function applyPlans(
  files: readonly PlacedFile[],
  compute: ComputeFile,
  options: { declaredFor: DeclaredFor; signal: AbortSignal | undefined; recorder: ChangeRecorder },
): Promise<(string | undefined)[]> {
  const { declaredFor, signal, recorder } = options;
  const replacements: Replacement[] = [];
  const hashes: (string | undefined)[] = [];
  const yielder = new Yielder(signal);
  for (const file of files) {
    await yielder.pause();
    const old = file.from && (await readSnapshot(file.from, { signal, action: 'edit' }));
    const bytes = await contentOf(file.plan, old, declaredFor(file.from ?? file.to!), compute);
    replacements.push(...replacementsOf(file, old, bytes));
    hashes.push(file.to && (await shortContentHash(bytes)));
  }
  requireDifferent(replacements.map(({ place }) => place));
  if (replacements.length > 0) await replaceTogether(replacements, signal, recorder);
  return hashes;
}

function replacementsOf(
  { plan, from, to }: PlacedFile,
  old: FileSnapshot | undefined,
  bytes: Buffer,
): Replacement[] {
  if (!from) return [{ place: to!, bytes, expect: 'absent', ...likeMode(plan.mode) }];
  if (!to) return [{ place: from, bytes: 'removed', expect: old! }];
  if (from === to) return bytes.equals(old!.bytes) ? [] : [{ place: from, bytes, expect: old! }];
  if (to.lstat()) fail({ kind: 'exists', path: to.shown, found: to.lstat()!.type });
  return [
    { place: to, bytes, expect: 'absent', like: old!.stat },
    { place: from, bytes: 'removed', expect: old! },
  ];
}

/** The new content of a file. For a file to be deleted, this checks that its lines are those that the patch names. */
export async function contentOf(
  plan: PlannedFile,
  old: FileSnapshot | undefined,
  declared: () => Charset | undefined,
  compute: ComputeFile,
): Promise<Buffer> {
  const before = old?.bytes ?? Buffer.alloc(0);
  if (plan.to === undefined && !hasSteps(plan)) return before;
  const hasChange = hasSteps(plan) || plan.content !== undefined;
  if (!hasChange) return before;
  if (old) return (await compute(plan, before, editedEncoding(before, declared, plan.from!))).bytes ?? before;
  const encoding = encodingOfNew(declared());
  return (await compute(plan, markOf(encoding), encoding)).bytes ?? before;
}

function likeMode(mode: number | undefined): { like?: { mode: number } } {
  return mode === undefined ? {} : { like: { mode } };
}
