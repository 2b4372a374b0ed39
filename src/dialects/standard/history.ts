/** The history of changes as the tools show it, and undo. */
import { truncate } from '../../display/truncate.ts';
import { type Change, type FileDiff, isMadeParent, type JournalEntry, whyLost } from '../../engine/index.ts';
import type { ResultOutcome, ToolContext } from '../dialect.ts';
import { text } from '../dialect.ts';
import { nextCall } from '../results/next-call.ts';
import { onOneLine } from '../results/one-line.ts';
import { timestamp } from '../results/timestamp.ts';
import { budgetOf, pageOf } from '../results/token-budget.ts';
import { refused } from './outcome.ts';
import { MAX_SHOWN_NAME } from './shown-lengths.ts';

const MOST_FILES = 10;

/** Why there is no history; undefined if there is one. */
export function whyNoHistory({ engine }: ToolContext): string | undefined {
  if (engine.keepsChanges) return undefined;
  return engine.roots.some(({ writable }) => writable)
    ? 'This server keeps no history (--no-journal): nothing can be undone'
    : 'This server keeps no history: nothing can be changed here';
}

export interface HistoryArguments {
  path?: string;
  limit: number;
  before?: string;
}

export async function historyText(
  args: HistoryArguments,
  below: string | undefined,
  context: ToolContext,
): Promise<string | ResultOutcome> {
  const { engine } = context;
  const none = whyNoHistory(context);
  if (none !== undefined) return none;
  const all = await engine.history.entries(below === undefined ? {} : { below });
  const start = args.before === undefined ? 0 : await firstBefore(args.before, all, context);
  if (start === undefined) return noEntry(args.before!);
  const wanted = all.slice(start, start + args.limit);
  if (wanted.length === 0) return 'No changes';
  const lines: string[] = [];
  for (const entry of wanted) lines.push(await entryText(entry, context));
  const page = pageOf(lines, 0, budgetOf(context, args));
  const left = all.length - start - page.end;
  if (left === 0) return page.lines.join('\n');
  const next = nextCall('history', args, { before: wanted[page.end - 1]!.id }, context);
  return [...page.lines, `[${left} older changes; ${next}]`].join('\n');
}

/** The index in `all`, newest first, of the first entry older than `before`; undefined when no entry has that id. */
async function firstBefore(
  before: string,
  all: readonly JournalEntry[],
  { engine }: ToolContext,
): Promise<number | undefined> {
  const index = all.findIndex(({ id }) => id === before);
  if (index >= 0) return index + 1;
  // The entry may have changed another path.
  const every = await engine.history.entries({});
  const place = every.findIndex(({ id }) => id === before);
  if (place < 0) return undefined;
  const older = new Set(every.slice(place + 1).map(({ id }) => id));
  const first = all.findIndex(({ id }) => older.has(id));
  return first < 0 ? all.length : first;
}

async function entryText(entry: JournalEntry, { engine }: ToolContext): Promise<string> {
  const { id, at, origin, state, undoes, changes, unrecorded } = entry;
  const tool = undoes === undefined ? (origin.tool ?? '-') : `undo of ${undoes}`;
  const undone = state === 'undone' ? ', undone' : '';
  const files = changes.filter((change) => !isMadeParent(change));
  const first = files.slice(0, MOST_FILES);
  const counts = await engine.history.lineCounts(id, new Set(first.map(({ path }) => path)));
  const shown = first.map((change) => `  ${changeText(change)}${countsText(counts.get(change.path))}`);
  const more = files.length > MOST_FILES ? [`  and ${files.length - MOST_FILES} more`] : [];
  const unknown = unrecorded === undefined ? [] : [`  changed by a command; ${unrecorded}`];
  return [`${id} ${timestamp(at)} ${tool}${undone}`, ...shown, ...more, ...unknown].join('\n');
}

function changeText(change: Change): string {
  const path = onOneLine(change.path);
  const lost = whyLost(change) === undefined ? '' : ' (cannot be undone)';
  return change.kind === 'moved'
    ? `moved ${path} -> ${onOneLine(change.to)}${lost}`
    : `${change.kind} ${path}${lost}`;
}

function countsText(lines: FileDiff['lines']): string {
  return lines === undefined ? '' : ` (+${lines.added} -${lines.removed})`;
}

/** Undoes the entry `id`, or the newest change of this session or caller. */
export async function undoChange(id: string | undefined, context: ToolContext): Promise<ResultOutcome> {
  const { engine, caller } = context;
  const none = whyNoHistory(context);
  if (none !== undefined) return refused(none, 'not-found');
  const entry = id ?? (await newestOwn(context))?.id;
  if (entry === undefined) return noChange();
  const outcome = await engine.history.undo(entry, { caller });
  if (outcome === undefined) return noEntry(entry);
  if (!outcome.done) {
    const reasons = outcome.obstacles.flatMap(({ path, why, diff }) => [
      `${path}: ${why}`,
      ...(diff ? [diff] : []),
    ]);
    return refused([`${entry} cannot be undone; nothing was changed`, ...reasons].join('\n'), 'obstacle');
  }
  const steps = outcome.steps.map(({ path, does }) => `  ${does} ${onOneLine(path)}`);
  const page = pageOf([`Undid ${entry} as ${outcome.entry.id}`, ...steps], 0, budgetOf(context));
  const more = page.isCut ? [`  and ${steps.length + 1 - page.end} more`] : [];
  return { result: { content: [text([...page.lines, ...more].join('\n'))] } };
}

export function noChange(): ResultOutcome {
  return refused('There is no change of this session to undo\nhistory lists all changes.', 'not-found');
}

export function noEntry(id: string): ResultOutcome {
  return refused(
    `There is no entry ${truncate(id, MAX_SHOWN_NAME)}\nhistory lists the entries.`,
    'not-found',
  );
}

export async function newestOwn({ engine, caller }: ToolContext): Promise<JournalEntry | undefined> {
  const { session, who } = caller.origin;
  const entries = await engine.history.entries();
  return entries.find(
    ({ origin, state, undoes }) =>
      undoes === undefined &&
      state === 'done' &&
      (who === undefined ? origin.session === session : origin.who === who),
  );
}
