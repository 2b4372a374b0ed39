/** `cofferdam state copy`: copies a history and a trace into another state, which may be of the other kind. */
// Only to check whether a directory exists.
import { existsSync } from 'node:fs';
import { counted } from '../../display/counted.ts';
import { grouped } from '../../display/grouped.ts';
import { plain } from '../../display/plain-text.ts';
import {
  type CopiedJournal,
  type CopyRefusal,
  copyJournal,
  isJournalEmpty,
  namedIn,
  openState,
  StateProblem,
  whyNotStateDirectory,
} from '../../engine/index.ts';
import type { State } from '../../state/state.ts';
import { type CopiedTrace, copyTrace, isTraceEmpty } from '../../trace/copy.ts';
import type { RootArgument } from '../arguments/roots.ts';
import type { CopyRequest, StatePlace } from '../arguments/state-request.ts';
import type { Outcome } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { connectToFleet } from './fleet.ts';

/** A note in the new state that a copy has begun: a trace without a history is then that of an interrupted copy. */
const COPYING = 'copying';
const SHOWN = 20;

interface OpenedState {
  state: State;
  /** The place in words for the user, without a password. */
  says: string;
  close(): Promise<void>;
}

export async function copyState({ from, to, roots, onlyNamed }: CopyRequest): Promise<Outcome> {
  if ('directory' in from && !existsSync(from.directory))
    throw new UsageError(`${from.directory}: no such directory`);
  if ('directory' in from && 'directory' in to && from.directory === to.directory)
    throw new UsageError('FROM and TO are the same directory');
  requireOutsideRoots(to, roots);
  const source = await openPlace(from, roots, false);
  try {
    const target = await openPlace(to, roots, true);
    try {
      return await copyBetween(source, target, onlyNamed);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Fails when tools could reach the new state directory. */
function requireOutsideRoots(to: StatePlace, roots: readonly RootArgument[]): void {
  if (!('directory' in to)) return;
  const why = whyNotStateDirectory(
    to.directory,
    roots.map(({ path }) => path),
  );
  if (why !== undefined) throw new StateProblem(why);
}

async function openPlace(
  place: StatePlace,
  roots: readonly RootArgument[],
  isTarget: boolean,
): Promise<OpenedState> {
  if ('directory' in place) {
    const state = openState(place.directory);
    return { state, says: place.directory, close: () => state.close() };
  }
  const fleet = await connectToFleet(place.address, roots, isTarget);
  const state = fleet.openState();
  return {
    state,
    says: fleet.says,
    close: async () => {
      await state.close();
      await fleet.close();
    },
  };
}

async function copyBetween(source: OpenedState, target: OpenedState, onlyNamed: boolean): Promise<Outcome> {
  const [from, to] = [source.state, target.state];
  if (from.name === to.name && source.says === target.says)
    throw new UsageError('FROM and TO are the same state');
  // No server may remove contents from either state meanwhile.
  return whileNobodyTidies([from, to], async () => {
    const isEmpty = (await isJournalEmpty(to)) && (await isTraceEmpty(to));
    if (!isEmpty && !(await wasInterrupted(source, to))) return refused({ why: 'not-empty' }, source, target);
    await to.notes.write(COPYING, source.says);
    let traced: CopiedTrace = { events: 0, leftOut: 0 };
    const copied = await copyJournal({
      ...{ from, to, onlyNamed },
      beforeLines: async () => {
        traced = await copyTrace(from, to, namedIn(to.paths));
      },
    });
    if ('why' in copied) return refused(copied, source, target);
    await to.notes.write(COPYING, '');
    return { output: copiedText(copied, traced), failed: false };
  });
}

/** Two states on one machine have the same locks, and must be locked together. */
async function whileNobodyTidies<T>([from, to]: [State, State], task: () => Promise<T>): Promise<T> {
  const keys = [from, to].map(({ name }) => `tidy ${name}`);
  if (from.locks === to.locks) return from.locks.hold(keys, task);
  return from.locks.hold([keys[0]!], () => to.locks.hold([keys[1]!], task));
}

/** Whether an earlier copy stopped halfway. It copies the history last, so without one it was not finished. */
async function wasInterrupted(from: OpenedState, to: State): Promise<boolean> {
  const note = await to.notes.read(COPYING);
  return note?.text === from.says && (await isJournalEmpty(to));
}

function refused(refusal: CopyRefusal, from: OpenedState, to: OpenedState): Outcome {
  return { output: `${refusalText(refusal, from, to)}\n`, failed: true };
}

function refusalText(refusal: CopyRefusal, from: OpenedState, to: OpenedState): string {
  switch (refusal.why) {
    case 'not-empty':
      return `${plain(to.says)} has a history or a trace already. Nothing was copied: two histories cannot become one.`;
    case 'being-written':
      return `A server changed the history in ${plain(from.says)} during the copy. Stop it and copy again; nothing is visible in ${plain(to.says)} yet.`;
    case 'unnamed':
      return unnamedText(refusal.directories, to.state.paths !== undefined);
  }
}

function unnamedText(directories: ReadonlyMap<string, number>, toFleet: boolean): string {
  const all = [...directories];
  const lines = all.slice(0, SHOWN).map(([directory, entries]) => {
    const give = toFleet ? `${plain(directory)}=NAME` : `DIR=${plain(directory.slice(1))}`;
    return `  ${give}  (${counted(entries, 'entry', 'entries')})`;
  });
  if (all.length > SHOWN) lines.push(`  and ${all.length - SHOWN} more`);
  const missing = toFleet
    ? 'A fleet knows directories by names, and the history has directories without one. Give for each of them:'
    : 'The history has directories of the fleet, and nothing says where they are on this machine. Give for each of them:';
  return `${missing}\n${lines.join('\n')}\n--only-named leaves out what happened in them. Nothing was copied.`;
}

function copiedText(copied: CopiedJournal, traced: CopiedTrace): string {
  const { entries, contents, bytes, there, damaged, leftOut, lost } = copied;
  const lines = [
    `copied: ${counted(entries, 'entry', 'entries')}`,
    `        ${counted(contents, 'content')}, ${grouped(bytes)} bytes${there > 0 ? `; ${there} more from an earlier copy` : ''}`,
    `        ${counted(traced.events, 'trace event')}`,
  ];
  if (leftOut > 0)
    lines.push(`left out: ${counted(leftOut, 'entry', 'entries')} of directories without a name`);
  if (traced.leftOut > 0)
    lines.push(`left out: ${counted(traced.leftOut, 'trace event')} of directories without a name`);
  if (damaged > 0) lines.push(`left out: ${counted(damaged, 'damaged content')}`);
  for (const { path, why } of lost.slice(0, SHOWN))
    lines.push(`cannot be kept: ${plain(path)}: ${plain(why)}`);
  if (lost.length > SHOWN) lines.push(`cannot be kept: ${lost.length - SHOWN} more`);
  return `${lines.join('\n')}\n`;
}
