/** One thread's part of a listing: it finds entries by name or glob, lists trees and counts files by extension. */

import { childPath } from '../../confine/scan/child-path.ts';
import type { Cursor } from '../../confine/scan/cursor.ts';
import { textOf } from '../../confine/scan/raw-names.ts';
import type { EntryType } from '../../failures.ts';
import { FirstByPath } from '../queue/first-by-path.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { depthOf } from '../walk/depth.ts';
import type { Visitor } from '../walk/walk.ts';
import type { ExtensionStatistics, ListJob, PackedEntries } from './jobs.ts';

interface ListedFacts {
  type: EntryType;
  size: number;
  modifiedMs: number;
}

const LETTERS: Record<EntryType, string> = { file: 'f', directory: 'd', symlink: 'l', special: 's' };
const WITHOUT_FACTS: Record<EntryType, ListedFacts> = {
  file: withoutFacts('file'),
  directory: withoutFacts('directory'),
  symlink: withoutFacts('symlink'),
  special: withoutFacts('special'),
};
const NO_EXTENSION = '(none)';

export class ListVisitor implements Visitor {
  files = 0;
  directories = 0;
  readonly statistics: Map<string, ExtensionStatistics> | undefined;
  readonly #job: ListJob;
  readonly #queue: WorkQueue;
  readonly #cursor: Cursor;
  readonly #contains: string | undefined;
  readonly #first: FirstByPath<ListedFacts>;

  constructor(job: ListJob, queue: WorkQueue, cursor: Cursor) {
    this.#job = job;
    this.#queue = queue;
    this.#cursor = cursor;
    this.#contains = job.contains?.toLowerCase();
    this.#first = new FirstByPath(job.wanted);
    this.statistics = job.statistics ? new Map() : undefined;
  }

  isBeyond(path: string): boolean {
    const { bound } = this.#first;
    return !this.statistics && bound !== undefined && path > bound;
  }

  entries(directory: string, names: readonly string[], types: readonly EntryType[]): void {
    const reports = depthOf(directory) + 1 <= this.#job.reportDepth;
    names.forEach((name, index) => {
      const type = types[index]!;
      if (type === 'directory') this.directories++;
      if (type === 'file') {
        this.files++;
        this.#queue.addFile();
      }
      const isWanted = reports && this.#reports(name, type);
      if (!isWanted && !this.statistics) return;
      const listed = this.#listed(name, type);
      if (type === 'file') this.#count(name, listed);
      if (isWanted) this.#first.add(childPath(directory, name), 1, listed);
    });
  }

  packed(): PackedEntries {
    const items = this.#first.items();
    const facts = this.#job.facts ? new Float64Array(items.length * 2) : undefined;
    let types = '';
    items.forEach(({ item }, index) => {
      types += LETTERS[item.type];
      facts?.set([item.size, item.modifiedMs], index * 2);
    });
    return { paths: items.map(({ path }) => path).join('\0'), types, facts };
  }

  #reports(name: string, type: EntryType): boolean {
    if (this.#job.report === 'files' && type !== 'file') return false;
    return this.#contains === undefined || textOf(name).toLowerCase().includes(this.#contains);
  }

  #listed(name: string, type: EntryType): ListedFacts {
    if (type !== 'file' || !(this.#job.facts || this.statistics)) return WITHOUT_FACTS[type];
    const facts = this.#cursor.facts(name);
    return facts ? { type, size: facts.size, modifiedMs: facts.mtimeMs } : WITHOUT_FACTS[type];
  }

  #count(name: string, { size }: ListedFacts): void {
    if (!this.statistics) return;
    const extension = extensionOf(textOf(name));
    const known = this.statistics.get(extension) ?? { files: 0, bytes: 0 };
    known.files++;
    known.bytes += Number.isNaN(size) ? 0 : size;
    this.statistics.set(extension, known);
  }
}

/** The extension in lower case with its dot. A name whose only dot is its first character has none. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 && dot < name.length - 1 ? name.slice(dot).toLowerCase() : NO_EXTENSION;
}

function withoutFacts(type: EntryType): ListedFacts {
  return { type, size: Number.NaN, modifiedMs: Number.NaN };
}
