/** `cofferdam history`, `diff`, `undo` and `redo`: shows what was changed, undoes it, and takes that back. */
// Only to check whether a directory exists.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Paint, paintDiff } from '../../display/colour.ts';
import { plain, plainJson } from '../../display/plain-text.ts';
import {
  EngineFailure,
  type FileDiff,
  failureSentence,
  type History,
  type JournalEntry,
  type Obstacle,
  type UndoPlan,
} from '../../engine/index.ts';
import type { Recorder } from '../../trace/recorder.ts';
import { tracedUndo } from '../../trace/traced-undo.ts';
import type { Outcome } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { type ById, byId, entryLine, toolOf } from './entry-line.ts';

const SHORTEST_PREFIX = 2;

export interface HistoryRequest {
  directory?: string | undefined;
  since?: number | undefined;
  json: boolean;
  limit?: number | undefined;
}

export async function showHistory(history: History, asked: HistoryRequest, paint: Paint): Promise<Outcome> {
  const { directory, since, json, limit } = asked;
  const entries = await history.entries({
    ...(directory !== undefined && { below: placeNamed(directory) }),
    ...(since !== undefined && { since }),
    ...(limit !== undefined && { limit }),
  });
  if (entries.length === 0 && directory !== undefined) requireThere(directory);
  if (json) return { output: jsonOf(entries), failed: false };
  if (entries.length === 0) return { output: 'No changes are recorded.\n', failed: false };
  // A listed entry may have undone one that is not listed.
  const all = byId(await history.entries());
  const shown = entries.map((entry) => [entry, toolOf(entry, all)] as const);
  const width = Math.max(...shown.map(([, tool]) => tool.length));
  const lines = shown.map(([entry, tool]) => `${entryLine(entry, tool.padEnd(width), paint)}\n`);
  return { output: lines.join(''), failed: false };
}

/** A JSON array with each entry on a line of its own. */
function jsonOf(entries: readonly JournalEntry[]): string {
  return entries.length === 0 ? '[]\n' : `[\n${entries.map(plainJson).join(',\n')}\n]\n`;
}

export async function showDiff(history: History, id: string, paint: Paint): Promise<Outcome> {
  const entry = await entryNamed(history, id);
  return { output: paintDiff(diffsText(await history.diff(entry.id)), paint), failed: false };
}

function diffsText(diffs: readonly FileDiff[]): string {
  return diffs.map(diffText).join('');
}

function diffText({ path, to, kind, text, note }: FileDiff): string {
  if (to !== undefined) {
    return `${plain(path)} → ${plain(to)}${note ? ` (${plain(note)})` : ''}\n${plainLines(text)}`;
  }
  return text === '' ? `${kind} ${plain(path)}${note ? ` (${plain(note)})` : ''}\n` : plainLines(text);
}

/** Contents may hold control sequences, which must not reach a terminal. */
function plainLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(plain).join('\t'))
    .join('\n');
}

export interface UndoRequest {
  /** The id of an entry or the beginning of one, or a directory. Default: the newest entry. */
  what?: string | undefined;
  since?: number | undefined;
  force: boolean;
  /** Whether to say what would be done, and do nothing. */
  dryRun: boolean;
}

export async function undo(history: History, recorder: Recorder, asked: UndoRequest): Promise<Outcome> {
  const { what, since, force, dryRun } = asked;
  const undoing = { recorder, force, dryRun, word: 'undone' } as const;
  if (what !== undefined && !(await isDirectory(history, what))) {
    if (since === undefined) return undoAll(history, [await entryNamed(history, what)], undoing);
    if (await isEntry(history, what)) throw new UsageError('undo takes an entry or --since, not both');
  }
  const below = what === undefined ? {} : { below: placeNamed(what) };
  const entries = await history.entries({ ...below, ...(since !== undefined && { since }) });
  const open = entries.filter((entry) => entry.state !== 'undone' && entry.undoes === undefined);
  const meant = since === undefined ? open.slice(0, 1) : open;
  if (entries.length === 0 && what !== undefined) requireThere(what);
  if (meant.length === 0) return { output: 'There is nothing to undo.\n', failed: true };
  return undoAll(history, meant, undoing);
}

/** Takes back the last undo, or the one that `what` names. */
export async function redo(
  history: History,
  recorder: Recorder,
  { what, force, dryRun }: Omit<UndoRequest, 'since'>,
): Promise<Outcome> {
  const redoing = { recorder, force, dryRun, word: 'redone' } as const;
  const entries = await history.entries();
  const originals = new Set(entries.filter(({ undoes }) => undoes === undefined).map(({ id }) => id));
  const undoings = entries.filter(({ undoes, state }) => originals.has(undoes!) && state !== 'undone');
  // Two undos at the same time may each have undone a part of the entry.
  const undosWith = ({ undoes }: JournalEntry) => undoings.filter((entry) => entry.undoes === undoes);
  if (what === undefined) {
    const last = newestOf(undoings, entries);
    if (!last) return { output: 'There is nothing to redo.\n', failed: true };
    return undoAll(history, undosWith(last), redoing);
  }
  const { id } = await entryNamed(history, what);
  const undoing = undoings.find((entry) => entry.undoes === id || entry.id === id);
  if (!undoing) return { output: `${id} is not undone, so there is nothing to redo.\n`, failed: true };
  return undoAll(history, undosWith(undoing), redoing);
}

/** The undo to redo first. For an entry that was undone, redone and undone again, the last undo counts. */
function newestOf(undoings: readonly JournalEntry[], all: readonly JournalEntry[]): JournalEntry | undefined {
  const known = byId(all);
  const meant = new Set(undoings);
  for (const entry of all) {
    for (let each: JournalEntry | undefined = entry; each; each = known.get(each.undoes ?? '')) {
      if (meant.has(each)) return each;
    }
  }
  return undefined;
}

interface Undoing {
  recorder: Recorder;
  force: boolean;
  dryRun: boolean;
  word: 'undone' | 'redone';
}

async function undoAll(
  history: History,
  entries: readonly JournalEntry[],
  undoing: Undoing,
): Promise<Outcome> {
  const { force, dryRun, word } = undoing;
  const all = byId(await history.entries());
  const lines: string[] = [];
  const restored = new Set<string>();
  let problem = '';
  for (const entry of entries) {
    if (entry.state === 'undone')
      return {
        output: `${entry.id} is undone already; cofferdam redo ${entry.id} takes that back.\n`,
        failed: true,
      };
    const untouched =
      lines.length === 0 ? 'Nothing was touched.' : `This entry was left alone; what is above is ${word}.`;
    const done = dryRun
      ? await planOne(history, entry, undoing, restored)
      : await undoOne(history, entry, undoing, untouched);
    if (typeof done === 'string') {
      problem += done;
      // With --force, every entry is undone that can be.
      if (force) continue;
      break;
    }
    lines.push(
      `${dryRun ? 'would be ' : ''}${word}: ${entryLine(...shownAs(word, entry, all))}\n`,
      ...stepLines(done),
    );
  }
  const output = lines.join('');
  if (problem === '') return { output, failed: false };
  return output === '' ? { output: problem, failed: true } : { output, problem, failed: true };
}

function stepLines(steps: UndoPlan['steps']): string[] {
  if (steps.length === 0) return ['  nothing was left to be done\n'];
  const width = steps.reduce((widest, { does }) => Math.max(widest, does.length), 10);
  return steps.map(({ path, does }) => `  ${does.padEnd(width)}  ${plain(path)}\n`);
}

/**
 * What would be done, or why not. `restored` has the paths that newer entries of the same run would restore before this
 * one, so that what is there now is no obstacle.
 */
async function planOne(
  history: History,
  { id }: JournalEntry,
  { force, word }: Undoing,
  restored: Set<string>,
): Promise<UndoPlan['steps'] | string> {
  const plan = await history.plan(id);
  if (!plan) return `${id} is no longer in the journal.\n`;
  const obstacles = plan.obstacles.filter(
    ({ path, forceable }) => !restored.has(path) && !(force && forceable),
  );
  if (obstacles.length > 0) return blockedText(id, obstacles, word, '');
  for (const { path } of plan.steps) restored.add(path);
  return plan.steps;
}

/** What was done, or why not, followed by `untouched` when nothing of the entry was touched. */
async function undoOne(
  history: History,
  { id }: JournalEntry,
  { recorder, force, word }: Undoing,
  untouched: string,
): Promise<UndoPlan['steps'] | string> {
  let begun = false;
  const onChanged = () => {
    begun = true;
  };
  try {
    const outcome = await tracedUndo(history, recorder, id, { force, onChanged });
    if (!outcome) return `${id} is no longer in the journal. ${untouched}\n`;
    return outcome.done ? outcome.steps : blockedText(id, outcome.obstacles, word, untouched);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const left = begun ? 'It is partly done; the same command again finishes it.' : untouched;
    return `${id} could not be ${word}: ${plain(failureSentence(error.facts))}. ${left}\n`;
  }
}

/** The entry as the output shows it: for a redo, the entry that had been undone. */
function shownAs(word: 'undone' | 'redone', entry: JournalEntry, all: ById): [JournalEntry, string] {
  const redone = word === 'redone' && all.get(entry.undoes ?? '');
  const shown = redone ? { ...redone, state: 'done' as const } : { ...entry, state: 'undone' as const };
  return [shown, toolOf(shown, all)];
}

function blockedText(id: string, obstacles: readonly Obstacle[], word: string, untouched: string): string {
  const lines = obstacles.map(
    ({ path, why, diff }) => `  ${plain(path)}: ${plain(why)}\n${diff ? plainLines(diff) : ''}`,
  );
  const forceable = obstacles.length > 0 && obstacles.every((obstacle) => obstacle.forceable);
  const all = obstacles.some(({ left }) => left) ? 'the rest' : 'it anyway';
  const way = forceable
    ? ` --force undoes ${all}; what is there now is kept in the journal first.`
    : ' To undo another entry, name it: cofferdam history lists them.';
  return `${id} cannot be ${word} as it is:\n${lines.join('')}${`${untouched}${way}`.trim()}\n`;
}

/** The one entry whose id begins with this text. Fails when there is none, or more than one. */
export async function entryNamed(history: History, what: string): Promise<JournalEntry> {
  const entries = await history.entries();
  const fitting = what.length < SHORTEST_PREFIX ? [] : entries.filter(({ id }) => id.startsWith(what));
  if (fitting.length === 1) return fitting[0]!;
  if (fitting.length === 0) throw new UsageError(`there is no entry ${what} (cofferdam history lists them)`);
  throw new UsageError(`${what} could be ${fitting.map(({ id }) => id).join(' or ')}`);
}

/** An absolute path, or `=NAME/…`, which is how entries of a fleet name a directory that was not given here. */
function placeNamed(what: string): string {
  return what.startsWith('=') ? what : resolve(what);
}

/** Fails for a directory that does not exist. Call this only when it has no history: a deleted one may have some. */
function requireThere(directory: string): void {
  if (!directory.startsWith('=') && !existsSync(directory))
    throw new UsageError(`${directory}: no such directory`);
}

/** Whether a directory is meant. A bare name means one if it exists, or if something in it was changed. */
async function isDirectory(history: History, what: string): Promise<boolean> {
  if (what === '') return false;
  if (what.includes('/') || what === '.' || what === '..' || what.startsWith('=')) return true;
  if (await isEntry(history, what)) return false;
  return existsSync(what) || (await history.entries({ below: resolve(what) })).length > 0;
}

/** Whether this is the id of an entry, or the beginning of one. */
async function isEntry(history: History, what: string): Promise<boolean> {
  return what.length >= SHORTEST_PREFIX && (await history.entries()).some(({ id }) => id.startsWith(what));
}
