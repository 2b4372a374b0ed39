/** Kills a server with signal 9 in the middle of its writes, again and again, and checks what is left. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RawClient } from '../client.ts';
import { until } from '../until.ts';

const MODE = 0o640;
const LONGEST_WAIT_MS = 20;
const ROUNDS = 7;
const BODY = 'a line of some length, as files have them\n'.repeat(4000);

export interface Wreckage {
  kills: number;
  /** Kills that left a half-written temporary file, and so hit in the middle of a write. */
  midway: number;
  acknowledged: number;
  /** Files with neither the old nor the new content. */
  torn: string[];
  /** Acknowledged writes that were not on the disk. */
  lost: string[];
  modeLost: number;
  /** Temporary files that were still there after the next write to their directory. */
  litter: number;
}

const version = (n: number) => `version ${n}\n`;
/** An overwritten file is recognised by both of its ends, an edited one by everything but its first line. */
const overwritten = (n: number) => `${version(n)}${BODY}${version(n)}`;
const edited = (n: number) => `${version(n)}${BODY}`;

function wholeVersionOf(text: string, make: (n: number) => string): number | undefined {
  const n = Number(/^version (\d+)\n/.exec(text)?.[1] ?? Number.NaN);
  return text === make(n) ? n : undefined;
}

export async function killDuringWrites(root: string, kills: number): Promise<Wreckage> {
  const wreckage: Wreckage = {
    kills: 0,
    midway: 0,
    acknowledged: 0,
    torn: [],
    lost: [],
    modeLost: 0,
    litter: 0,
  };
  mkdirSync(join(root, 'new'), { recursive: true });
  for (const [name, text] of [
    ['over.txt', overwritten(0)],
    ['edited.txt', edited(0)],
  ] as const) {
    writeFileSync(join(root, name), text);
    chmodSync(join(root, name), MODE);
  }
  // If all kills came between two writes, the test would show nothing.
  const isVain = () => wreckage.midway === 0 && wreckage.kills < 10 * kills;
  while (wreckage.kills < kills || isVain()) await oneKill(root, wreckage);
  const last = await RawClient.start([root]);
  await sweep(last, root, wreckage);
  await last.end();
  return wreckage;
}

/** The next write to each directory removes what the last server left there. */
async function sweep(client: RawClient, root: string, wreckage: Wreckage): Promise<void> {
  for (const directory of [root, join(root, 'new')]) {
    await client.text('write_file', { path: join(directory, 'calm.txt'), content: 'calm' });
    wreckage.litter += temporariesIn(directory);
  }
}

async function oneKill(root: string, wreckage: Wreckage): Promise<void> {
  const client = await RawClient.start([root]);
  await sweep(client, root, wreckage);
  const path = (name: string) => join(root, name);
  const round = wreckage.kills;
  const acknowledged = { over: -1, edited: -1, new: new Set<string>() };
  const first = {
    over: wholeVersionOf(readFileSync(path('over.txt'), 'utf8'), overwritten) ?? 0,
    edited: wholeVersionOf(readFileSync(path('edited.txt'), 'utf8'), edited) ?? 0,
  };
  let answers = 0;
  const send = (tool: string, args: object, then: () => void) => {
    client.call(tool, args).then(
      ({ result }) => {
        answers++;
        if (result) then();
      },
      () => {},
    );
  };
  for (let i = 1; i <= ROUNDS; i++) {
    const over = first.over + i;
    send('write_file', { path: path('over.txt'), content: overwritten(over) }, () => {
      acknowledged.over = over;
    });
    const next = first.edited + i;
    const edits = [{ oldText: version(next - 1), newText: version(next) }];
    send('edit_file', { path: path('edited.txt'), edits }, () => {
      acknowledged.edited = next;
    });
    const name = `new/${round}-${i}.txt`;
    send('write_file', { path: path(name), content: overwritten(i) }, () => acknowledged.new.add(name));
  }
  // Kill anywhere between the first write and the last, however fast this machine is.
  const enough = Math.floor(Math.random() * 3 * ROUNDS);
  await until(() => answers >= enough);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_WAIT_MS));
  client.child.kill('SIGKILL');
  await client.exited;
  wreckage.kills++;

  if (temporariesIn(root) + temporariesIn(join(root, 'new')) > 0) wreckage.midway++;
  for (const [name, make, sure] of [
    ['over.txt', overwritten, acknowledged.over],
    ['edited.txt', edited, acknowledged.edited],
  ] as const) {
    const found = wholeVersionOf(readFileSync(path(name), 'utf8'), make);
    if (found === undefined) wreckage.torn.push(name);
    else if (found < sure) wreckage.lost.push(`${name}: ${found} of ${sure}`);
    if ((statSync(path(name)).mode & 0o7777) !== MODE) wreckage.modeLost++;
    if (sure >= 0) wreckage.acknowledged++;
  }
  const made = readdirSync(join(root, 'new')).filter((name) => name.startsWith(`${round}-`));
  for (const name of made) {
    if (wholeVersionOf(readFileSync(path(`new/${name}`), 'utf8'), overwritten) === undefined) {
      wreckage.torn.push(`new/${name}`);
    }
  }
  for (const name of acknowledged.new) {
    wreckage.acknowledged++;
    if (!made.includes(name.slice('new/'.length))) wreckage.lost.push(name);
  }
}

function temporariesIn(directory: string): number {
  return readdirSync(directory).filter((name) => name.startsWith('.cofferdam-')).length;
}
