/** The state in PostgreSQL fulfils the contract of every state. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { Fleet } from '../../../src/state/postgres/open.ts';
import { closingContract } from '../contract/closing.ts';
import { contentsContract, damageContract } from '../contract/contents.ts';
import { endOtherProcesses, type StateUnderTest } from '../contract/factory.ts';
import { locksContract } from '../contract/locks.ts';
import { logContract } from '../contract/log.ts';
import { notesContract } from '../contract/notes.ts';
import { sessionsContract } from '../contract/sessions.ts';
import { type Cluster, NO_POSTGRES, postgresPrograms, startCluster } from './cluster.ts';

let cluster: Cluster;
let schemas = 0;

function postgresState(): StateUnderTest {
  const schema = `test_${schemas++}`;
  const address = cluster.address(schema);
  const fleets: Fleet[] = [];
  return {
    address,
    open: () => {
      const fleet = new Fleet(address);
      fleets.push(fleet);
      return fleet.openState();
    },
    age: async () =>
      void (await cluster.run(`UPDATE ${schema}.contents SET touched = touched - interval '1 hour'`)),
    remove: async () => {
      // The schema stays until the server is removed; no other test uses it.
      for (const fleet of fleets) await fleet.close();
    },
  };
}

describe.skipIf(postgresPrograms() === undefined)('the state in PostgreSQL', () => {
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(async () => {
    await endOtherProcesses();
    await cluster.remove();
  });

  logContract(postgresState);
  contentsContract(postgresState);
  damageContract(postgresState, async ({ address }, hash) => {
    const schema = new URL(address).searchParams.get('schema');
    await cluster.run(
      `UPDATE ${schema}.content_chunks SET data = set_byte(data, length(data) / 2, get_byte(data, length(data) / 2) # 1)
       WHERE id = (SELECT id FROM ${schema}.contents WHERE hash = '\\x${hash}')`,
    );
  });
  closingContract(postgresState);
  locksContract(postgresState);
  notesContract(postgresState);
  sessionsContract(postgresState);
});

test.skipIf(postgresPrograms() !== undefined)(NO_POSTGRES, (context) => context.skip());
