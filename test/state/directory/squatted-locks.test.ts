/** Another user of the machine cannot block this user's changes by taking the names of locks. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { machineLocks } from '../../../src/state/directory/locks.ts';

const NOBODY = 65534;
const KEY = 'squatted-locks.test';

/** Takes every name that can be computed without the secret, and claims to hold every key. */
const SQUATTER = `
  const { createServer } = require('node:net');
  const names = JSON.parse(process.argv[1]);
  let left = names.length;
  for (const name of names)
    createServer((client) => client.on('error', () => {}).on('data', () => client.end('y'))).listen(
      { path: '\\0' + name },
      () => --left || process.stdout.write('taken'),
    );
`;

let squatter: ChildProcess | undefined;
afterEach(() => squatter?.kill());

async function squat(keys: readonly string[]): Promise<void> {
  const uid = process.getuid!();
  const names = keys.map((key) => {
    const hash = createHash('sha256').update(key).digest('hex').slice(0, 40);
    return `cofferdam-${uid}-${hash}`;
  });
  const other = uid === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  squatter = spawn(process.execPath, ['-e', SQUATTER, JSON.stringify(names)], { ...other, cwd: '/' });
  await once(squatter.stdout!, 'data');
}

test.runIf(process.platform === 'linux')(
  'a lock is free although others took its guessable names',
  async () => {
    await squat(['bulk', KEY]);
    expect(await machineLocks.tryHold(KEY, async () => {})).toBe(true);
    const many = Array.from({ length: 20 }, (_, i) => `${KEY} ${i}`);
    expect(await machineLocks.hold(many, async () => 'done')).toBe('done');
  },
);
