/** Computes the new content of files: of small ones at once, of large ones and for regex edits in worker threads. */
import { EngineFailure } from '../../failures.ts';
import { limits } from '../../limits.ts';
import type { TextEdit } from '../../text/edit/apply-edits.ts';
import type { ListedEdit } from '../../text/edit-list.ts';
import { type RewriteJob, type RewriteOutcome, type RewriteResults, rewrite } from '../../text/rewrite.ts';
import type { TextAnswer, TextJob } from './text-job.ts';
import { WorkerPool } from './time-limited-worker-pool.ts';

export type { TextEdit } from '../../text/edit/apply-edits.ts';

/** The most bytes to process at once: they take a few milliseconds, less than asking a worker takes. */
const AT_ONCE = 256 * 1024;
/** What each edit adds in bytes to process, however short its texts are. */
const EDIT_WEIGHT = 128;
/** The short lines of a patch take this many times longer to read than long texts. */
const PATCH_WEIGHT = 4;
/** A search that tolerates other blanks takes as long for each line as this many bytes otherwise take. */
const LINE_WEIGHT = 48;
/** A worker that processed more bytes is terminated, because it would keep its memory. */
const KEEP_BELOW = 4 * 1024 * 1024;
const NEWLINE = 10;
const NOTHING = new Uint8Array();

export class TextEditor {
  /** Two pools: a runaway pattern must not delay long texts, and long texts must not delay patterns. */
  #regexes: WorkerPool<TextJob, TextAnswer> | undefined;
  #texts: WorkerPool<TextJob, TextAnswer> | undefined;

  async run<J extends RewriteJob>(
    job: J,
    bytes: Uint8Array | undefined,
    signal?: AbortSignal,
  ): Promise<RewriteOutcome<RewriteResults[J['kind']]>> {
    const weight = weightOf(job, bytes ?? NOTHING);
    const answer = hasRegex(job)
      ? await this.#pool('#regexes').run(
          { job, bytes },
          { ms: limits.regexTimeoutMs, signal, keep: weight < KEEP_BELOW },
        )
      : weight > AT_ONCE
        ? await this.#pool('#texts').run({ job, bytes }, { signal, keep: weight < KEEP_BELOW })
        : rewrite(job, bytes, ignore);
    if ('failure' in answer) throw new EngineFailure(answer.failure);
    const after =
      answer.bytes && Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.length);
    return { bytes: after, result: answer.result as RewriteResults[J['kind']] };
  }

  async close(): Promise<void> {
    await Promise.all([this.#regexes?.close(), this.#texts?.close()]);
  }

  #pool(which: '#regexes' | '#texts'): WorkerPool<TextJob, TextAnswer> {
    const open = () => new WorkerPool<TextJob, TextAnswer>('text-worker.cjs', limits.regexWorkers);
    if (which === '#regexes') {
      this.#regexes ??= open();
      return this.#regexes;
    }
    this.#texts ??= open();
    return this.#texts;
  }
}

function hasRegex(job: RewriteJob): boolean {
  if (job.kind === 'edit-list') return job.edits.some((edit) => 'oldText' in edit && edit.regex);
  return 'edits' in job && job.edits.some(({ kind }) => kind === 'regex');
}

/** About how many bytes a job processes: each edit searches the whole text. */
function weightOf(job: RewriteJob, content: Uint8Array): number {
  const bytes = content.length;
  switch (job.kind) {
    case 'edit':
    case 'preview':
      return job.edits.reduce(
        (sum, edit) => sum + soughtBy(edit).length + edit.replace.length + EDIT_WEIGHT,
        bytes * (1 + job.edits.length),
      );
    case 'edit-list': {
      const weight = job.edits.reduce(
        (sum, edit) => sum + soughtBy(edit).length + edit.newText.length + EDIT_WEIGHT,
        bytes * (2 + job.edits.length),
      );
      return weight > AT_ONCE ? weight : weight + LINE_WEIGHT * linesToCompare(job.edits, content);
    }
    case 'insert':
      return bytes + job.insertion.content.length;
    case 'line-diffs':
      return job.diffs.reduce((sum, diff) => sum + diff.search.length + diff.replace.length + 64, bytes * 2);
    case 'append':
      return bytes + job.content.length;
    case 'read-patch':
    case 'patch':
      return bytes + 2 * job.patch.length;
    case 'plan-patch':
      return PATCH_WEIGHT * job.patch.length;
    case 'planned-file': {
      const { content = '', steps } = job.plan;
      if (typeof steps === 'string') return bytes * 2 + PATCH_WEIGHT * steps.length + content.length;
      return bytes * (1 + steps.length) + content.length;
    }
    case 'diff':
      return 2 * (job.before.bytes.length + bytes);
  }
}

/** What an edit searches for. */
function soughtBy(edit: TextEdit | ListedEdit): string {
  if ('find' in edit) return edit.find;
  if ('pattern' in edit) return edit.pattern;
  return 'lines' in edit ? edit.lines : edit.oldText;
}

/** Counts the lines of the content once for each edit, and those that the edits search for and insert. */
function linesToCompare(edits: readonly ListedEdit[], content: Uint8Array): number {
  const newlines = (text: string) => text.split('\n').length - 1;
  const inEdits = edits.reduce((sum, edit) => sum + newlines(soughtBy(edit)) + newlines(edit.newText), 0);
  return inEdits + edits.length * content.reduce((sum, byte) => sum + (byte === NEWLINE ? 1 : 0), 0);
}

function ignore(): void {}
