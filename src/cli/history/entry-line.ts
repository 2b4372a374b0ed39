/** Writes one entry of the journal as a line for people: when, which tool, which paths. */

import { type Paint, plainPaint } from '../../display/colour.ts';
import { localTime } from '../../display/local-time.ts';
import { plain } from '../../display/plain-text.ts';
import { type Change, isMadeParent, type JournalEntry, whyLost } from '../../engine/index.ts';

const SHOWN_PATHS = 3;

export function entryLine(entry: JournalEntry, tool: string, paint: Paint = plainPaint): string {
  const { id, at, state, changes } = entry;
  const paths = changes.filter((change) => !isMadeParent(change)).map(changeText);
  const more = paths.length > SHOWN_PATHS ? `, and ${paths.length - SHOWN_PATHS} more` : '';
  const who = entry.origin.who === undefined ? '' : `  by ${plain(entry.origin.who)}`;
  const forgotten = entry.forgotten ? '  (contents were forgotten)' : '';
  const lost = changes.filter((change) => whyLost(change) !== undefined).length;
  const unkept = lost > 0 ? `  (${lost} of ${changes.length} cannot be undone)` : '';
  if (entry.unrecorded !== undefined) paths.push(`changed by a command; ${entry.unrecorded}`);
  const what = `${paths.slice(0, SHOWN_PATHS).join(', ')}${more}${who}${unkept}${forgotten}`;
  const line = `${id}  ${localTime(at)}  ${tool}  ${state.padEnd(7)}  ${what}`;
  if (state === 'undone') return paint(line, 'dim');
  return `${paint(id, 'yellow')}${line.slice(id.length)}`;
}

export type ById = ReadonlyMap<string, JournalEntry>;

export function byId(entries: readonly JournalEntry[]): ById {
  return new Map(entries.map((entry) => [entry.id, entry]));
}

interface TakenBack {
  verb: 'undo' | 'redo';
  /** The entry that a tool made. */
  original: string;
}

/** What undoing an entry means for the tool's entry: undoing an undo is a redo, and undoing that is an undo again. */
function takenBack(id: string, all: ById): TakenBack {
  let original = id;
  let undoes = true;
  for (let next = all.get(id)?.undoes; next !== undefined; next = all.get(next)?.undoes) {
    original = next;
    undoes = !undoes;
  }
  return { verb: undoes ? 'undo' : 'redo', original };
}

export function toolOf({ origin, undoes }: JournalEntry, all: ById): string {
  if (undoes === undefined) return plain(origin.tool ?? '-');
  const { verb, original } = takenBack(undoes, all);
  return `${verb} ${original}`;
}

function changeText(change: Change): string {
  const path = plain(change.path);
  return change.kind === 'moved' ? `moved ${path} → ${plain(change.to)}` : `${change.kind} ${path}`;
}
