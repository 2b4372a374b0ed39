/** The entry point of a search thread, which does its part of each job. It is a bundle that search-thread.ts starts. */
import { parentPort, workerData } from 'node:worker_threads';
import { provideConverter } from '../../charset/converter.ts';
import { isShortage } from '../../confine/errno.ts';
import { openCursor } from '../../confine/scan/cursor.ts';
import { ListingCache } from '../../confine/scan/listing-cache.ts';
import { boundThreadHeap, tidyHeap } from '../../heap.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { ContentSearch } from '../match/search-file.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { KnownFiles } from '../signatures/known-files.ts';
import { SignatureStore } from '../signatures/signature-store.ts';
import { wantedMarks } from '../signatures/wanted-marks.ts';
import { ignoreFileReader } from '../walk/ignore-files.ts';
import { Selector } from '../walk/selector.ts';
import { TreeWalk } from '../walk/walk.ts';
import { FileCopies } from './copy-job.ts';
import { directoriesOf, GrepVisitor } from './grep-job.ts';
import type {
  AnyJob,
  CopyJob,
  FoundFile,
  GrepJob,
  ListJob,
  ScanJob,
  ThreadData,
  ThreadMessage,
  ThreadResult,
} from './jobs.ts';
import { ListVisitor } from './list-job.ts';
import { Scan } from './scan-job.ts';

const port = parentPort!;
const { converter, signatures, settledAfterMs } = workerData as ThreadData;
provideConverter(() => Buffer.from(converter).toString('utf8'));
const store = new SignatureStore(signatures);
/** Is kept from job to job: a new kernel would need new memory. */
let kernel: Kernel | undefined;
const listings = new ListingCache();
/** The memory of work queues, by slot. The main thread sends each only once. */
const memories: SharedArrayBuffer[] = [];
boundThreadHeap();

port.on('message', (job: AnyJob) => {
  try {
    const { slot, shared } = job.queue;
    if (shared) memories[slot] = shared;
    const queue = new WorkQueue(memories[slot]!);
    const result = queue.join(job.round) ? resultOf(job, queue) : emptyResult();
    send({ id: job.id, kind: 'done', result }, transferable(result));
  } catch (error) {
    send({
      id: job.id,
      kind: 'failed',
      message: error instanceof Error ? String(error.stack) : String(error),
      code: isShortage(error) ? (error as NodeJS.ErrnoException).code : undefined,
    });
  }
  tidyHeap();
});

function resultOf(job: AnyJob, queue: WorkQueue): ThreadResult {
  switch (job.kind) {
    case 'grep':
      return grep(job, queue);
    case 'list':
      return list(job, queue);
    case 'scan':
      return scan(job, queue);
    case 'copy':
      return copy(job, queue);
  }
}

function scan(job: ScanJob, queue: WorkQueue): ThreadResult {
  const cursor = openCursor(job.root, listings);
  try {
    const part = new Scan(queue, cursor, job, job.overflow);
    part.run();
    const { files, overflow } = part;
    // If there are too many entries, the main thread uses none of them and need not unpack them.
    const scanned = queue.files > job.mostEntries ? undefined : part.packed();
    return { ...emptyResult(), joined: true, files, scanned, overflow };
  } finally {
    cursor.close();
  }
}

function copy(job: CopyJob, queue: WorkQueue): ThreadResult {
  const cursor = openCursor(job.root, listings);
  try {
    const part = new FileCopies(queue, cursor, job.target, job.overflow);
    part.run();
    return { ...emptyResult(), joined: true, copies: part.copies(), overflow: part.overflow };
  } finally {
    cursor.close();
  }
}

/** Large arrays move to the main thread instead of being copied. */
function transferable({ scanned, copies }: ThreadResult): ArrayBuffer[] {
  return [scanned?.facts, copies?.facts].flatMap((facts) => (facts ? (facts.buffer as ArrayBuffer) : []));
}

function grep(job: GrepJob, queue: WorkQueue): ThreadResult {
  kernel ??= ContentSearch.kernel();
  const cursor = openCursor(job.root, listings);
  const sendFiles = (files: FoundFile[]) => send({ id: job.id, kind: 'found', files });
  try {
    const wanted = wantedMarks(kernel, job.matcher.prefilter);
    // Makes no signatures in a search that they cannot help.
    const known = wanted && new KnownFiles(store, kernel, cursor, wanted, settledAfterMs);
    const visitor = new GrepVisitor(job, queue, cursor, kernel, known, sendFiles);
    const selector = new Selector(job.selection, job.ignoreBase, ignoreFileReader(cursor));
    const only = job.candidates && directoriesOf(job.candidates);
    const { overflow, withheld } = job;
    const walk = new TreeWalk(queue, cursor, selector, visitor, { overflow, only, withheld });
    walk.run();
    visitor.flush();
    const { files, matches, longLines } = visitor;
    const unreadable = [...walk.unreadable, ...visitor.unreadable];
    return { ...emptyResult(), joined: true, files, matches, longLines, unreadable, overflow: walk.overflow };
  } finally {
    cursor.close();
  }
}

function list(job: ListJob, queue: WorkQueue): ThreadResult {
  const cursor = openCursor(job.root, listings);
  try {
    const visitor = new ListVisitor(job, queue, cursor);
    const selector = new Selector(job.selection, job.ignoreBase, ignoreFileReader(cursor));
    const { overflow, withheld } = job;
    const walk = new TreeWalk(queue, cursor, selector, visitor, { overflow, withheld });
    walk.run();
    const { files, directories, statistics } = visitor;
    const { unreadable } = walk;
    return {
      ...emptyResult(),
      joined: true,
      files,
      directories,
      statistics,
      unreadable,
      entries: visitor.packed(),
    };
  } finally {
    cursor.close();
  }
}

function emptyResult(): ThreadResult {
  return {
    joined: false,
    files: 0,
    matches: 0,
    unreadable: [],
    longLines: [],
    entries: undefined,
    statistics: undefined,
    directories: 0,
    scanned: undefined,
    copies: undefined,
    overflow: [],
  };
}

function send(message: ThreadMessage, moved: ArrayBuffer[] = []): void {
  port.postMessage(message, moved);
}
