/**
 * Copies the history of one state into another one that has none. Every entry can still be undone there.
 *
 * Contents are copied first and the lines last, in one step: a reader of the other state finds the whole history or
 * none, and an interrupted copy can be repeated.
 */
import type { LogOptions } from '../../../state/log.ts';
import type { State } from '../../../state/state.ts';
import { contentNames, isContentHash } from '../entries/contents-needed.ts';
import type { Line } from '../entries/line.ts';
import { journalLogOptions } from '../entries/log-options.ts';
import { AsideConverter } from './aside-converter.ts';
import { type CopiedContents, copyContents } from './copy-contents.ts';
import { chosenLines, namedIn } from './named-lines.ts';

export interface JournalCopy {
  from: State;
  to: State;
  /** Leaves out the entries of directories that have no name in the other state. */
  onlyNamed: boolean;
  /** Called after the contents and before the lines are copied. */
  beforeLines?(): Promise<void>;
}

export interface CopiedJournal extends CopiedContents {
  entries: number;
  leftOut: number;
  lost: readonly { path: string; why: string }[];
}

/** Why a history cannot be copied. */
export type CopyRefusal =
  | { why: 'unnamed'; directories: ReadonlyMap<string, number> }
  | { why: 'not-empty' }
  | { why: 'being-written' };

export async function copyJournal({
  from,
  to,
  onlyNamed,
  beforeLines,
}: JournalCopy): Promise<CopiedJournal | CopyRefusal> {
  if (!(await isJournalEmpty(to))) return { why: 'not-empty' };
  const source = from.log('journal', journalLogOptions(from.paths));
  const reading = new Lines();
  const reader = source.reader(reading);
  await reader.catchUp();
  const { lines, entries, leftOut, unnamed, forgotten } = chosenLines(reading.all, namedIn(to.paths));
  if (unnamed.size > 0 && !onlyNamed) return { why: 'unnamed', directories: unnamed };
  const there = new Set<string>();
  for await (const { name } of to.contents.list()) there.add(name);
  const converter = new AsideConverter(from.contents, to.contents, forgotten);
  const copied: Line[] = [];
  for (const line of lines) copied.push(await converter.convert(line));
  const names = new Set<string>();
  for (const { did = [] } of copied)
    for (const name of contentNames(did)) if (isContentHash(name)) names.add(name);
  for (const name of converter.hashes) names.delete(name);
  const contents = await copyContents(from.contents, to.contents, names, there);
  await beforeLines?.();
  const seen = reading.changes;
  await reader.catchUp();
  if (reading.changes !== seen) return { why: 'being-written' };
  if (!(await to.log('journal', dated(copied, journalLogOptions(to.paths))).fill(copied)))
    return { why: 'not-empty' };
  return {
    ...contents,
    contents: contents.contents + converter.hashes.size,
    bytes: contents.bytes + converter.bytes,
    ...{ entries, leftOut, lost: converter.lost },
  };
}

export async function isJournalEmpty(state: State): Promise<boolean> {
  for await (const lines of state.log('journal', journalLogOptions(state.paths)).newestFirst()) {
    if (lines.length > 0) return false;
  }
  return true;
}

/** Gives a line without a time the time of the line before it. */
function dated(lines: readonly Line[], options: LogOptions<Line>): LogOptions<Line> {
  const times = new Map<Line, number>();
  let time = 0;
  for (const line of lines) {
    time = line.at ?? time;
    times.set(line, time);
  }
  return { ...options, appendedAt: (line) => times.get(line) ?? time };
}

class Lines {
  all: Line[] = [];
  /** Grows whenever any process changes the log. */
  changes = 0;

  take(line: Line): void {
    this.changes++;
    this.all.push(line);
  }

  restart(): void {
    this.changes++;
    this.all = [];
  }
}
