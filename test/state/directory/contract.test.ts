/** The state directory fulfils the contract of every state. */
import { existsSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openDirectoryState } from '../../../src/state/directory/open.ts';
import { temporaryDirectory } from '../../tree.ts';
import { closingContract } from '../contract/closing.ts';
import { contentsContract, damageContract } from '../contract/contents.ts';
import { endOtherProcesses, type StateUnderTest } from '../contract/factory.ts';
import { locksContract } from '../contract/locks.ts';
import { logContract } from '../contract/log.ts';
import { notesContract } from '../contract/notes.ts';
import { sessionsContract } from '../contract/sessions.ts';

const LONG_AGO = new Date(Date.now() - 3_600_000);

function directoryState(): StateUnderTest {
  const { path, remove } = temporaryDirectory();
  return {
    address: path,
    open: () => openDirectoryState(path),
    tearLast(log) {
      const file = join(path, log, readdirSync(join(path, log)).at(-1)!);
      truncateSync(file, readFileSync(file).length - 5);
    },
    async age() {
      const store = join(path, 'store');
      for (const name of readdirSync(store)) utimesSync(join(store, name), LONG_AGO, LONG_AGO);
    },
    remove,
  };
}

afterAll(endOtherProcesses);

logContract(directoryState);
contentsContract(directoryState);
damageContract(directoryState, async ({ address }, hash) => {
  const plain = join(address, 'store', hash);
  const path = existsSync(plain) ? plain : `${plain}.z`;
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(path, bytes);
});
closingContract(directoryState);
locksContract(directoryState);
notesContract(directoryState);
sessionsContract(directoryState);
