/** Three replicas behind haproxy, each in its own network and PID namespace if the tests run as root. */
import { mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { soak } from '../soak.ts';
import { type Cluster, NO_POSTGRES, postgresPrograms, startCluster } from '../state/postgres/cluster.ts';
import { temporaryDirectory } from '../tree.ts';
import { editByAll, expectExactly, expectHistoryAndUndone, FIRST } from './edits.ts';
import { Haproxy, hasHaproxy, NO_HAPROXY } from './haproxy.ts';
import { canSeparate, Namespace, NOT_SEPARATED } from './namespaces.ts';
import { Replica, TOKEN } from './replica.ts';

/** No multiple of the number of replicas, so that the clients of one file begin at different replicas. */
const FILES = Array.from({ length: soak(5, 8) }, (_, n) => `file-${n}.txt`);
const CLIENTS = soak(12, 64);
const WHERE = canSeparate
  ? 'in network and PID namespaces of their own'
  : `as processes side by side (${NOT_SEPARATED})`;

describe.skipIf(!hasHaproxy || postgresPrograms() === undefined)(`replicas behind haproxy, ${WHERE}`, () => {
  let cluster: Cluster;
  let scratch: { path: string; remove(): void };
  let directory: string;
  let namespaces: Namespace[];
  let replicas: Replica[];
  let balancer: Haproxy;
  let address: string;

  beforeAll(async () => {
    cluster = await startCluster();
    scratch = temporaryDirectory();
    directory = join(scratch.path, 'shared');
    mkdirSync(join(directory, 'inner'), { recursive: true });
    for (const file of FILES) writeFileSync(join(directory, file), FIRST);
    writeFileSync(join(directory, 'inner', 'file.txt'), 'in the inner directory\n');
    address = cluster.address('balanced');
    namespaces = canSeparate ? Array.from({ length: 3 }, () => new Namespace()) : [];
    // The database's port cannot be reached from a namespace, but its socket file can.
    const inside = `postgres://cofferdam@localhost:${cluster.port}/postgres?schema=balanced&host=${cluster.socket}`;
    replicas = Array.from(
      { length: 3 },
      (_, n) =>
        new Replica(
          canSeparate ? inside : address,
          ['--dialect', 'standard,fileeditor', `${directory}=shared`],
          namespaces[n]?.through,
        ),
    );
    await Promise.all(replicas.map((replica) => replica.start()));
    balancer = await Haproxy.before(
      replicas.map(({ port }, n) => ({ port, namespace: namespaces[n]?.name })),
    );
  });
  afterAll(async () => {
    await balancer?.end();
    await Promise.all(replicas.map((replica) => replica.kill()));
    for (const namespace of namespaces) namespace.remove();
    await cluster.remove();
    scratch.remove();
  });

  test.skipIf(!canSeparate)('share neither a network nor process ids', async () => {
    const networks = replicas.map(({ pid }) => readlinkSync(`/proc/${pid}/ns/net`));
    const processes = replicas.map(({ pid }) => readlinkSync(`/proc/${pid}/ns/pid_for_children`));
    for (const each of [networks, processes]) expect(new Set(each).size).toBe(3);
    expect(await replicas[0]!.call('list_directory', { path: '.' })).toEqual({ kind: 'unreached' });
  });

  test("keep fileeditor's workspace in a session whose requests go to every replica in turn", async () => {
    const client = new FirstClient({ name: 'first', version: '1' });
    const used = new Set<string | null>();
    const transport = new FirstHttp(new URL('/mcp/fileeditor', balancer.url), {
      requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        used.add(answer.headers.get('x-replica'));
        return answer;
      },
    });
    await client.connect(transport as never);
    await client.callTool({ name: 'set_workspace', arguments: { path: join(directory, 'inner') } });
    for (let n = 0; n < 3; n++) {
      const answer = await client.callTool({ name: 'read_files', arguments: { path: 'file.txt' } });
      expect(JSON.stringify(answer.content)).toContain('in the inner directory');
    }
    expect(used.size).toBe(3);
    await client.close();
  });

  test('do every acknowledged edit once, even while one of them is killed and restarted', async () => {
    let restarting: Promise<void> | undefined;
    const outcome = await editByAll({
      ...{ replicas: [balancer], files: FILES, clients: CLIENTS, edits: 2 },
      onAnswer: (_, answers) => {
        if (answers < CLIENTS / 2 || restarting) return;
        restarting = replicas[0]!.kill().then(async () => void (await replicas[0]!.start()));
      },
    });
    await restarting;
    expect([...outcome.said]).toEqual([]);
    expectExactly(directory, FILES, outcome);
    await expectHistoryAndUndone(address, directory, 'shared', FILES);
  });
});

test.skipIf(hasHaproxy)(NO_HAPROXY, (context) => context.skip());
test.skipIf(postgresPrograms() !== undefined)(NO_POSTGRES, (context) => context.skip());
