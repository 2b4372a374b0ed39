/** Many clients that edit a few files, each call through the next replica, and what must be true afterwards. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { undo } from '../../src/cli/history/history.ts';
import { connectToFleet } from '../../src/cli/state/fleet.ts';
import { History, type StateSource } from '../../src/engine/index.ts';
import { openRecorder } from '../../src/trace/open.ts';
import { settled } from '../until.ts';
import type { Answer, Replica } from './replica.ts';

export const FIRST = 'first\nlast\n';

export interface Outcome {
  /** The lines of acknowledged edits, by file. */
  done: Map<string, string[]>;
  refused: Map<string, string[]>;
  unknown: Map<string, string[]>;
  /** The texts of the refusals. */
  said: Set<string>;
}

export interface Work {
  replicas: readonly Pick<Replica, 'call'>[];
  files: readonly string[];
  clients: number;
  /** How many edits each client must complete. */
  edits: number;
  /** The prefix of the clients' names. */
  prefix?: string;
  onAnswer?(answer: Answer, answers: number): void;
}

/** Each edit adds a unique line before the last one. A client retries a refused edit with another line. */
export async function editByAll(work: Work): Promise<Outcome> {
  const { replicas, files, clients, edits } = work;
  const outcome: Outcome = { done: new Map(), refused: new Map(), unknown: new Map(), said: new Set() };
  let turn = 0;
  let answers = 0;
  const client = async (id: number) => {
    for (let done = 0, tries = 0; done < edits; tries++) {
      const file = files[(id + tries) % files.length]!;
      const line = `${work.prefix ?? 'client'}-${id}-try-${tries}`;
      const answer = await askAny(replicas, () => turn++, file, line);
      if (answer.kind === 'done') done++;
      else if (answer.kind === 'refused') outcome.said.add(answer.text);
      if (answer.kind === 'unknown') done++;
      note(outcome[answer.kind === 'unreached' ? 'refused' : answer.kind], file, line);
      work.onAnswer?.(answer, ++answers);
      // Pause before the retry, because the server may refuse changes for a while.
      if (answer.kind === 'refused') await new Promise((resolve) => setTimeout(resolve, 500));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, id) => client(id)));
  return outcome;
}

/** Sends the call to the next replica when one is down, as a balancer does. */
async function askAny(
  replicas: readonly Pick<Replica, 'call'>[],
  nextTurn: () => number,
  path: string,
  line: string,
): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const replica = replicas[nextTurn() % replicas.length]!;
    const answer = await replica.call('edit_file', {
      path,
      edits: [{ oldText: 'last\n', newText: `${line}\nlast\n` }],
    });
    if (answer.kind !== 'unreached' || tries > 1000) return answer;
    if (tries >= replicas.length) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function note(lines: Map<string, string[]>, file: string, line: string): void {
  const known = lines.get(file);
  if (known) known.push(line);
  else lines.set(file, [line]);
}

/** Every file has each acknowledged line once, no refused line, and nothing else. */
export function expectExactly(directory: string, files: readonly string[], outcome: Outcome): void {
  for (const file of files) {
    const lines = readFileSync(join(directory, file), 'utf8').split('\n');
    expect([lines[0], ...lines.slice(-2)], file).toEqual(['first', 'last', '']);
    const added = lines.slice(1, -2);
    expect(new Set(added).size, `${file}: none is doubled`).toBe(added.length);
    const there = new Set(added);
    const lost = (outcome.done.get(file) ?? []).filter((line) => !there.has(line));
    expect(lost, `${file}: acknowledged and lost`).toEqual([]);
    const halfDone = (outcome.refused.get(file) ?? []).filter((line) => there.has(line));
    expect(halfDone, `${file}: refused and done`).toEqual([]);
    const known = new Set([...(outcome.done.get(file) ?? []), ...(outcome.unknown.get(file) ?? [])]);
    expect(
      added.filter((line) => !known.has(line)),
      `${file}: from nowhere`,
    ).toEqual([]);
  }
}

export async function entriesOf(address: string, directory: string, name: string): Promise<Entry[]> {
  const entries = await withState(address, directory, name, (source) => new History(source).entries());
  return entries as unknown as Entry[];
}

/** An entry whose changes are all edits, as in these tests. */
interface Entry {
  id: string;
  found?: true;
  state: string;
  undoes?: string;
  changes: { kind: string; path: string; before: { hash: string }; after: { hash: string } }[];
}

/** No entry is pending: for every change it is known whether it was made. */
export async function expectNothingPending(address: string, directory: string, name: string): Promise<void> {
  // Replicas may answer a call before they write the end of its entry.
  const pending = await settled(
    async () =>
      (await entriesOf(address, directory, name))
        .filter(({ state }) => state === 'pending')
        .map(({ id }) => id),
    (ids) => ids.length === 0,
  );
  expect(pending).toEqual([]);
}

/**
 * The entries lead from the first content of each file to its present content, with one entry for each added line; and
 * undoing everything restores the first content.
 */
export async function expectHistoryAndUndone(
  address: string,
  directory: string,
  name: string,
  files: readonly string[],
): Promise<void> {
  await withState(address, directory, name, async (source) => {
    await expectHistory(source, directory, files);
    await undoEverything(source);
  });
  expectFirst(directory, files);
}

async function expectHistory(
  source: StateSource,
  directory: string,
  files: readonly string[],
): Promise<void> {
  const entries = (await new History(source).entries()) as unknown as Entry[];
  for (const file of files) {
    const path = join(directory, file);
    const changes = entries.flatMap((entry) => entry.changes).filter((change) => change.path === path);
    const byResult = new Map(changes.map((change) => [change.after.hash, change]));
    const text = readFileSync(path, 'utf8');
    let hash = sha256(text);
    let steps = 0;
    for (let change = byResult.get(hash); change; change = byResult.get(hash)) {
      hash = change.before.hash;
      steps++;
    }
    expect(hash, `${file}: the chain of entries ends at what was there first`).toBe(sha256(FIRST));
    expect(steps, `${file}: an entry for each edit`).toBe(text.split('\n').length - FIRST.split('\n').length);
  }
}

/** Undoing everything restores the first content. */
export async function expectUndone(
  address: string,
  directory: string,
  name: string,
  files: readonly string[],
): Promise<void> {
  await withState(address, directory, name, undoEverything);
  expectFirst(directory, files);
}

async function undoEverything(source: StateSource): Promise<void> {
  const recorder = openRecorder({ ...SURROUNDINGS, source, roots: [], contents: false });
  const history = new History(source);
  try {
    const { failed, problem } = await history.keepOpen(() =>
      undo(history, recorder, { since: 0, force: false, dryRun: false }),
    );
    expect({ failed, problem }).toEqual({ failed: false });
  } finally {
    await recorder.close();
  }
}

function expectFirst(directory: string, files: readonly string[]): void {
  for (const file of files) expect(readFileSync(join(directory, file), 'utf8'), file).toBe(FIRST);
}

const SURROUNDINGS = { version: 'test', environment: {}, log: () => {} };

/** Opens the state of a fleet with one of its directories, as `cofferdam history` and `cofferdam undo` do. */
async function withState<T>(
  address: string,
  directory: string,
  name: string,
  use: (source: StateSource) => Promise<T>,
): Promise<T> {
  const fleet = await connectToFleet(address, [{ path: directory, writable: true, name }], false);
  try {
    return await use(() => fleet.openState());
  } finally {
    await fleet.close();
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
