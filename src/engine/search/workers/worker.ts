/** The thread that searches: does its part of each job and reports. Bundled by itself, started by pool.ts. */
import { parentPort } from 'node:worker_threads';
import { isShortage } from '../../confine/errno.ts';
import { openCursor } from '../../confine/scan/cursor.ts';
import { ListingCache } from '../../confine/scan/listing-cache.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { ContentSearch } from '../match/search-file.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { ignoreFileReader, Selector } from '../walk/selector.ts';
import { Walk } from '../walk/walk.ts';
import { directoriesOf, GrepVisitor } from './grep-job.ts';
import type { Account, AnyJob, FoundFile, GrepJob, ListJob, Report } from './jobs.ts';
import { ListVisitor } from './list-job.ts';

const port = parentPort!;
/** Kept from job to job: its memory is what costs. */
let kernel: Kernel | undefined;
const listings = new ListingCache();
/** By slot: what was sent once. */
const memories: SharedArrayBuffer[] = [];

port.on('message', (job: AnyJob) => {
  try {
    const { slot, shared } = job.queue;
    if (shared) memories[slot] = shared;
    const queue = new WorkQueue(memories[slot]);
    const account = !queue.join(job.round)
      ? absent()
      : job.kind === 'grep'
        ? grep(job, queue)
        : list(job, queue);
    report({ id: job.id, kind: 'done', account });
  } catch (error) {
    report({
      id: job.id,
      kind: 'failed',
      message: error instanceof Error ? String(error.stack) : String(error),
      code: isShortage(error) ? (error as NodeJS.ErrnoException).code : undefined,
    });
  }
});

function grep(job: GrepJob, queue: WorkQueue): Account {
  kernel ??= ContentSearch.kernel();
  const cursor = openCursor(job.root, listings);
  const send = (files: FoundFile[]) => report({ id: job.id, kind: 'found', files });
  try {
    const visitor = new GrepVisitor(job, queue, cursor, kernel, send);
    const selector = new Selector(job.selection, job.ignoreBase, ignoreFileReader(cursor));
    const only = job.candidates && directoriesOf(job.candidates);
    const walk = new Walk(queue, cursor, selector, visitor, { own: job.own, only });
    walk.run();
    visitor.flush();
    const { files, matches, longLines } = visitor;
    const unreadable = [...walk.unreadable, ...visitor.unreadable];
    return { ...absent(), joined: true, files, matches, longLines, unreadable, left: walk.left };
  } finally {
    cursor.close();
  }
}

function list(job: ListJob, queue: WorkQueue): Account {
  const cursor = openCursor(job.root, listings);
  try {
    const visitor = new ListVisitor(job, queue, cursor);
    const selector = new Selector(job.selection, job.ignoreBase, ignoreFileReader(cursor));
    const walk = new Walk(queue, cursor, selector, visitor, { own: job.own });
    walk.run();
    const { files, directories, statistics } = visitor;
    const { unreadable } = walk;
    return {
      ...absent(),
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

function absent(): Account {
  return {
    joined: false,
    files: 0,
    matches: 0,
    unreadable: [],
    longLines: [],
    entries: undefined,
    statistics: undefined,
    directories: 0,
    left: [],
  };
}

function report(message: Report): void {
  port.postMessage(message);
}
