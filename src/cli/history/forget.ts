/** `cofferdam forget`: removes contents from the state directory for good. */
import { resolve } from 'node:path';
import { counted } from '../../display/counted.ts';
import { plain } from '../../display/plain-text.ts';
import {
  type ForgetReport,
  type ForgetRequest,
  History,
  type JournalEntry,
  openState,
  type StateSource,
} from '../../engine/index.ts';
import { forgetTraced } from '../../trace/forget.ts';
import type { Outcome } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { byId, entryLine, toolOf } from './entry-line.ts';
import { entryNamed } from './history.ts';

export interface ForgetArguments {
  /** Ids of entries, and paths. */
  what: readonly string[];
  all: boolean;
  dryRun: boolean;
}

const SHOWN = 20;

export async function forget(source: StateSource, { what, all, dryRun }: ForgetArguments): Promise<Outcome> {
  const history = new History(source);
  let output = '';
  for (const request of await requestsFor(history, what, all)) {
    const entries = await history.entries();
    const forgotten = await history.forget(request, { dryRun });
    const calls = await forgetTraced(openState(source), forgotten.paths, dryRun);
    output += reportText({ request, forgotten, calls, dryRun, entries });
  }
  return { output, failed: false };
}

async function requestsFor(
  history: History,
  what: readonly string[],
  all: boolean,
): Promise<ForgetRequest[]> {
  if (all && what.length > 0) throw new UsageError('forget takes an entry, a path or --all, not both');
  if (all) return [{ what: 'all' }];
  if (what.every((each) => each === ''))
    throw new UsageError('say what to forget: cofferdam forget ENTRY|PATH|--all');
  const ids: string[] = [];
  const paths: string[] = [];
  for (const each of what) {
    if (await isEntry(history, each)) ids.push((await entryNamed(history, each)).id);
    else paths.push(resolve(each));
  }
  const ofPaths = paths.map((path): ForgetRequest => ({ what: 'path', path }));
  return ids.length > 0 ? [{ what: 'entries', ids }, ...ofPaths] : ofPaths;
}

/** A single word may name an entry or a path. A forget cannot be undone, so this never guesses. */
async function isEntry(history: History, what: string): Promise<boolean> {
  if (what.includes('/') || what === '.' || what === '..') return false;
  const entries = await history.entries();
  const fits = entries.some(({ id }) => id.startsWith(what));
  const isPath = await history.knows(resolve(what));
  if (fits && isPath)
    throw new UsageError(`${what} is a path and the beginning of an entry: write ./${what} for the path`);
  if (!fits && !isPath) {
    throw new UsageError(
      `there is no entry ${what}, and no file of that name was changed (cofferdam history lists them)`,
    );
  }
  return fits;
}

interface ReportParts {
  request: ForgetRequest;
  forgotten: ForgetReport;
  calls: number;
  dryRun: boolean;
  entries: readonly JournalEntry[];
}

function reportText({ request, forgotten, calls, dryRun, entries }: ReportParts): string {
  const { things, bytes, unreferenced, lost, stays, others, stillThere } = forgotten;
  const lines: string[] = [];
  const nothing = things + unreferenced + calls === 0;
  if (nothing)
    lines.push(`There is nothing to forget${request.what === 'all' ? '' : ` of ${nameOf(request)}`}.`);
  else {
    const traced = calls === 0 ? '' : `, and the arguments and answers of ${counted(calls, 'traced call')}`;
    const more = unreferenced === 0 ? '' : `, ${counted(unreferenced, 'content')} that no entry needs`;
    lines.push(
      `${dryRun ? 'would forget' : 'forgotten'}: ${counted(things, 'content')} (${bytes} bytes)${more}${traced}`,
    );
  }
  const all = byId(entries);
  if (lost.length > 0) {
    lines.push(dryRun ? 'could no longer be undone:' : 'can no longer be undone:');
    for (const entry of lost.slice(0, SHOWN)) lines.push(`  ${entryLine(entry, toolOf(entry, all))}`);
    if (lost.length > SHOWN) lines.push(`  and ${lost.length - SHOWN} more`);
  }
  if (stays.contents > 0) {
    const needers = shortList(stays.entries);
    lines.push(
      `${counted(stays.contents, 'content')} stay${stays.contents === 1 ? 's' : ''}: needed by ${needers} (forget those too, or the path)`,
    );
  }
  if (others.length > 0) lines.push(`the same contents were kept for: ${shortList(others.map(plain))}`);
  if (request.what === 'path' && stillThere && !nothing)
    lines.push(`${nameOf(request)} itself was not touched: what it holds is kept again when it is changed`);
  return `${lines.join('\n')}\n`;
}

function nameOf(request: Exclude<ForgetRequest, { what: 'all' }>): string {
  return request.what === 'path' ? plain(request.path) : request.ids.join(', ');
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).join(', ');
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}
