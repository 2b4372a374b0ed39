/** One change in full, for the view that clients show next to a call. */
import { DiffBudget, isMadeParent, type JournalEntry, MOST_LISTED } from '../../engine/index.ts';
import { type ResultOutcome, type ToolContext, text } from '../dialect.ts';
import { onOneLine } from '../results/one-line.ts';
import { newestOwn, noChange, noEntry, whyNoHistory } from './history.ts';
import { refused } from './outcome.ts';

export async function shownChange(id: string | undefined, context: ToolContext): Promise<ResultOutcome> {
  const { engine } = context;
  const none = whyNoHistory(context);
  if (none !== undefined) return refused(none, 'not-found');
  const entry = id === undefined ? await newestOwn(context) : await engine.history.entry(id);
  if (!entry || !maySee(entry, context)) return id === undefined ? noChange() : noEntry(id);
  const { at, roots, origin, state, undoes } = entry;
  const madeParents = new Set(entry.changes.filter(isMadeParent).map(({ path }) => path));
  const diffs = (await engine.history.diff(entry.id)).filter(({ path }) => !madeParents.has(path));
  const undoing = state === 'undone' ? await undoingOf(entry, context) : undefined;
  const files = new DiffBudget().fit(diffs);
  const change = {
    ...{ entry: entry.id, at, roots, tool: origin.tool, state, files },
    ...(diffs.length > MOST_LISTED && { moreFiles: diffs.length - MOST_LISTED }),
    ...(undoes !== undefined && { undoes }),
    ...(undoing && { undoneBy: undoing.id }),
  };
  const lines = files.map(({ kind, path }) => `${kind} ${onOneLine(path)}`);
  return { result: { content: [text(lines.join('\n'))], structuredContent: change } };
}

/** A diff may show content that no file holds any more, so a token sees only its own changes. */
function maySee({ origin }: JournalEntry, { caller }: ToolContext): boolean {
  return caller.origin.who === undefined || caller.origin.who === origin.who;
}

async function undoingOf({ id }: JournalEntry, { engine }: ToolContext): Promise<JournalEntry | undefined> {
  return (await engine.history.entries()).find(({ undoes, state }) => undoes === id && state === 'done');
}
