/** `cofferdam history`, `diff`, `undo` and `redo`: what was changed, and the way back. */
import { resolve } from 'node:path';
import {
  type Change,
  EngineFailure,
  type FileDiff,
  type History,
  type JournalEntry,
  type Obstacle,
} from '../engine/index.ts';
import { plain, plainJson } from '../trace/plain-text.ts';
import type { TracedHistory } from './tracing.ts';
import { UsageError } from './usage-error.ts';

export interface Outcome {
  output: string;
  failed: boolean;
}

const SHOWN_PATHS = 3;
const SHORTEST_PREFIX = 2;

export interface HistoryRequest {
  directory?: string | undefined;
  since?: number | undefined;
  json: boolean;
  limit?: number | undefined;
}

export async function showHistory(history: History, asked: HistoryRequest): Promise<Outcome> {
  const { directory, since, json, limit } = asked;
  const entries = await history.entries({
    ...(directory !== undefined && { below: resolve(directory) }),
    ...(since !== undefined && { since }),
    ...(limit !== undefined && { limit }),
  });
  if (json) return { output: jsonOf(entries), failed: false };
  if (entries.length === 0) return { output: 'Nothing was changed.\n', failed: false };
  const shown = entries.map((entry) => [entry, toolOf(entry, entries)] as const);
  const width = Math.max(...shown.map(([, tool]) => tool.length));
  const lines = shown.map(([entry, tool]) => `${entryLine(entry, tool.padEnd(width))}\n`);
  return { output: lines.join(''), failed: false };
}

/** A list, with each entry on a line of its own. */
function jsonOf(entries: readonly JournalEntry[]): string {
  return entries.length === 0 ? '[]\n' : `[\n${entries.map(plainJson).join(',\n')}\n]\n`;
}

function entryLine(entry: JournalEntry, tool: string): string {
  const { id, at, state, changes } = entry;
  const paths = changes.filter((change) => !isParent(change)).map(changeText);
  const more = paths.length > SHOWN_PATHS ? `, and ${paths.length - SHOWN_PATHS} more` : '';
  const who = entry.origin.who === undefined ? '' : `  by ${plain(entry.origin.who)}`;
  const what = `${paths.slice(0, SHOWN_PATHS).join(', ')}${more}${who}`;
  return `${id}  ${timeText(at)}  ${tool}  ${state.padEnd(7)}  ${what}`;
}

/** To undo an undo is to redo. */
function toolOf({ origin, undoes }: JournalEntry, all: readonly JournalEntry[]): string {
  if (undoes === undefined) return plain(origin.tool ?? '-');
  const again = all.find(({ id }) => id === undoes)?.undoes;
  return again === undefined ? `undo ${undoes}` : `redo ${again}`;
}

function changeText(change: Change): string {
  const path = plain(change.path);
  return change.kind === 'moved' ? `moved ${path} → ${plain(change.to)}` : `${change.kind} ${path}`;
}

function isParent(change: Change): boolean {
  return change.kind === 'created' && change.parent === true;
}

function timeText(at: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export async function showDiff(history: History, id: string): Promise<Outcome> {
  const entry = await named(history, id);
  return { output: diffsText(await history.diff(entry.id)), failed: false };
}

function diffsText(diffs: readonly FileDiff[]): string {
  return diffs.map(diffText).join('');
}

function diffText({ path, to, kind, text, note }: FileDiff): string {
  if (to !== undefined) return `${plain(path)} → ${plain(to)}\n`;
  return text === '' ? `${kind} ${plain(path)}${note ? ` (${plain(note)})` : ''}\n` : plainLines(text);
}

/** Contents may hold anything; on a terminal nothing of it may act. */
function plainLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(plain).join('\t'))
    .join('\n');
}

export interface UndoRequest {
  /** An entry's id or the beginning of it, or a directory; the newest entry when there is none. */
  what?: string | undefined;
  since?: number | undefined;
  force: boolean;
}

export async function undo(history: TracedHistory, asked: UndoRequest): Promise<Outcome> {
  const { what, since, force } = asked;
  if (what !== undefined && !isDirectory(what)) {
    if (since !== undefined) throw new UsageError('undo takes an entry or --since, not both');
    return undoAll(history, [await named(history, what)], force, 'undone');
  }
  const below = what === undefined ? {} : { below: resolve(what) };
  const entries = await history.entries({ ...below, ...(since !== undefined && { since }) });
  const open = entries.filter((entry) => entry.state !== 'undone' && entry.undoes === undefined);
  const meant = since === undefined ? open.slice(0, 1) : open;
  if (meant.length === 0) return { output: 'There is nothing to undo.\n', failed: since === undefined };
  return undoAll(history, meant, force, 'undone');
}

/** Takes back the last undo, or the one that is named. */
export async function redo(
  history: TracedHistory,
  what: string | undefined,
  force: boolean,
): Promise<Outcome> {
  const entries = await history.entries();
  const originals = new Set(entries.filter(({ undoes }) => undoes === undefined).map(({ id }) => id));
  const undoings = entries.filter(({ undoes, state }) => originals.has(undoes!) && state !== 'undone');
  if (what === undefined) {
    const [last] = undoings;
    if (!last) return { output: 'There is nothing to redo.\n', failed: true };
    return undoAll(history, [last], force, 'redone');
  }
  const { id } = await named(history, what);
  const undoing = undoings.find((entry) => entry.undoes === id || entry.id === id);
  if (!undoing) throw new UsageError(`${id} is not undone, so there is nothing to redo`);
  return undoAll(history, [undoing], force, 'redone');
}

async function undoAll(
  history: TracedHistory,
  entries: readonly JournalEntry[],
  force: boolean,
  word: 'undone' | 'redone',
): Promise<Outcome> {
  const all = await history.entries();
  let output = '';
  for (const entry of entries) {
    if (entry.state === 'undone')
      throw new UsageError(`${entry.id} is undone already (cofferdam redo ${entry.id})`);
    const plan = await history.plan(entry.id);
    const outcome = await attempted(() => history.undoFor(entry.id, { force }));
    if (typeof outcome === 'string') return { output: `${output}${entry.id} ${outcome}`, failed: true };
    if (!outcome?.done)
      return { output: output + blockedText(entry, outcome?.obstacles ?? []), failed: true };
    output += `${word}: ${entryLine(...shownAs(word, entry, all))}\n`;
    for (const { path, does } of plan?.steps ?? []) output += `  ${does.padEnd(10)}  ${plain(path)}\n`;
    if (plan?.steps.length === 0) output += '  nothing was left to be done\n';
  }
  return { output, failed: false };
}

/** What happened on the way, in one line, when it could not be done. */
async function attempted<T>(undoing: () => Promise<T>): Promise<T | string> {
  try {
    return await undoing();
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const { kind, path = '', code = kind } = error.facts as { kind: string; path?: string; code?: string };
    const why = kind === 'changed-meanwhile' ? 'it was changed at this moment' : code;
    return `could not be undone to its end: ${plain(path)}: ${why}. What is left of it can be undone once more.\n`;
  }
}

/** What is redone is the entry that had been undone. */
function shownAs(
  word: 'undone' | 'redone',
  entry: JournalEntry,
  all: readonly JournalEntry[],
): [JournalEntry, string] {
  const redone = word === 'redone' && all.find(({ id }) => id === entry.undoes);
  const shown = redone ? { ...redone, state: 'done' as const } : { ...entry, state: 'undone' as const };
  return [shown, toolOf(shown, all)];
}

function blockedText({ id }: JournalEntry, obstacles: readonly Obstacle[]): string {
  const lines = obstacles.map(
    ({ path, why, diff }) => `  ${plain(path)}: ${plain(why)}\n${diff ? plainLines(diff) : ''}`,
  );
  const forceable = obstacles.length > 0 && obstacles.every((obstacle) => obstacle.forceable);
  const way = forceable
    ? `Nothing was touched. --force undoes it all the same; what is there now is kept in the journal first.\n`
    : 'Nothing was touched.\n';
  return `${id} cannot be undone as it is:\n${lines.join('')}${way}`;
}

/** The one entry whose id begins so. */
async function named(history: History, what: string): Promise<JournalEntry> {
  const entries = await history.entries();
  const fitting = what.length < SHORTEST_PREFIX ? [] : entries.filter(({ id }) => id.startsWith(what));
  if (fitting.length === 1) return fitting[0]!;
  if (fitting.length === 0) throw new UsageError(`there is no entry ${what} (cofferdam history lists them)`);
  throw new UsageError(`${what} could be ${fitting.map(({ id }) => id).join(' or ')}`);
}

function isDirectory(what: string): boolean {
  return what.includes('/') || what === '.' || what === '..';
}
