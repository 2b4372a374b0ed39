/**
 * Replicas with one shared directory and one database, and clients that send each call to the next replica.
 *
 * A soak run has more clients, and each of them completes more edits.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { soak } from '../soak.ts';
import { type Cluster, NO_POSTGRES, postgresPrograms, startCluster } from '../state/postgres/cluster.ts';
import { temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';
import { Bouncer, hasBouncer, NO_BOUNCER } from './bouncer.ts';
import {
  editByAll,
  entriesOf,
  expectExactly,
  expectHistoryAndUndone,
  expectNothingPending,
  FIRST,
} from './edits.ts';
import { CuttableProxy } from './proxy.ts';
import { Replica } from './replica.ts';

const EDITS = soak(1, 10);
const CLIENTS = soak(12, 64);
const ANSWERS_BETWEEN_KILLS = soak(8, 40);
/** More clients than connections in a PgBouncer's pool. */
const MANY = soak(25, 73);
/** No multiple of the number of replicas, so that the clients of one file begin at different replicas. */
const COUNT = soak(5, 7);
/** Whether a replica can see the directory at another mount point, in its own namespace: only root can do that. */
const canMount = spawnSync('unshare', ['-m', 'mount', '--bind', '/tmp', '/mnt']).status === 0;
const ALSO_ELSEWHERE = canMount
  ? ', even through a replica that has mounted the directory elsewhere'
  : ' (mounting it elsewhere needs root)';
const AWAY = /database that keeps the history cannot be reached/;
/** A replica that was stopped after it proved its lock may find that another one changed the file meanwhile. */
const AWAY_OR_CHANGED = new RegExp(`${AWAY.source}|was changed by another program`);
/** While the network is cut, changes hold all connections of a replica, and other changes wait for one in vain. */
const AWAY_OR_BUSY = new RegExp(`${AWAY.source}|too many changes wait for the database`);

describe.skipIf(postgresPrograms() === undefined)('a fleet', () => {
  let cluster: Cluster;
  let scratch: { path: string; remove(): void };
  let directory: string;
  let address: string;
  let replicas: Replica[] = [];
  let tests = 0;
  /** Each test has its own files. */
  let files: string[];

  beforeAll(async () => {
    cluster = await startCluster();
    scratch = temporaryDirectory();
  });
  afterAll(async () => {
    scratch.remove();
    await cluster.remove();
  });
  beforeEach(() => {
    files = layOutFiles(`test-${tests++}`, COUNT);
  });

  const layOutFiles = (place: string, count: number) => {
    mkdirSync(join(directory, place));
    const names = Array.from({ length: count }, (_, n) => `${place}/file-${n}.txt`);
    for (const file of names) writeFileSync(join(directory, file), FIRST);
    return names;
  };
  /** Starts the replicas for all tests of a group, with an unused directory and an unused database. */
  const startAll = async (group: string, ports: number[]) => {
    directory = join(scratch.path, group);
    mkdirSync(directory);
    address = cluster.address(group);
    // One of the tests needs to run a command.
    const args = ['--allow-run', '--sandbox', 'off', `${directory}=shared`];
    replicas = ports.map((port) => new Replica(through(port), args));
    await Promise.all(replicas.map((replica) => replica.start()));
  };
  const through = (port: number) => address.replace(String(cluster.port), String(port));
  const killAll = () => Promise.all(replicas.map((replica) => replica.kill()));
  const expectAllWell = async (outcome: Awaited<ReturnType<typeof editByAll>>, edited = files) => {
    expectExactly(directory, edited, outcome);
    await expectHistoryAndUndone(address, directory, 'shared', edited);
  };
  const work = () => ({ replicas, files, clients: CLIENTS, edits: EDITS });

  describe.skipIf(!hasBouncer)('behind PgBouncer in transaction mode', () => {
    let bouncer: Bouncer;
    beforeAll(async () => {
      bouncer = await Bouncer.start(cluster.port);
      await startAll('bouncer', [bouncer.port, bouncer.port, bouncer.port]);
    });
    afterAll(async () => {
      await killAll();
      await bouncer.end();
    });

    test('does every acknowledged edit once, with more clients and files than its pool has connections', async () => {
      const many = layOutFiles('many', MANY);
      // Two clients edit some of the files, through two replicas at once.
      const edited = many.flatMap((file, n) => (n < COUNT ? [file, file] : [file]));
      const outcome = await editByAll({ ...work(), files: edited, clients: edited.length });
      expect([...outcome.said]).toEqual([]);
      expect(outcome.unknown.size).toBe(0);
      await expectAllWell(outcome, many);
    });
  });

  describe('that reaches the database directly', () => {
    beforeAll(() => startAll('direct', [cluster.port, cluster.port, cluster.port]));
    afterAll(killAll);

    test(`does every acknowledged edit once${ALSO_ELSEWHERE}, and can undo them all`, async () => {
      const elsewhere = canMount ? [await startElsewhere()] : [];
      try {
        const outcome = await editByAll({ ...work(), replicas: [...replicas, ...elsewhere] });
        expect([...outcome.said]).toEqual([]);
        expect(outcome.unknown.size).toBe(0);
        await expectAllWell(outcome);
      } finally {
        for (const replica of elsewhere) await replica.kill();
      }
    });

    test("does not attribute another replica's change to a command, and lets no tool change its marker file", async () => {
      const commander = replicas[1]!;
      const command = 'touch begun; until [ -e go ]; do sleep 0.05; done; echo own > own.txt; rm -f go begun';
      const running = commander.call('run_command', { command, path: directory });
      await until(() => existsSync(join(directory, 'begun')));
      const edits = [{ oldText: 'last\n', newText: 'more\nlast\n' }];
      expect(await replicas[0]!.call('edit_file', { path: files[0], edits })).toMatchObject({ kind: 'done' });
      writeFileSync(join(directory, 'go'), '');
      expect(await running).toMatchObject({ kind: 'done' });
      const found = (await entriesOf(address, directory, 'shared')).filter((entry) => entry.found);
      expect(found.flatMap(({ changes }) => changes.map(({ path }) => path))).toEqual([
        join(directory, 'own.txt'),
      ]);
      for (const [tool, more] of [
        ['write_file', { content: 'x' }],
        ['delete_file', {}],
      ] as const) {
        const answer = await commander.call(tool, { path: '.cofferdam-workspace', ...more });
        expect(answer).toMatchObject({
          kind: 'refused',
          text: expect.stringMatching(/fleet know this directory/),
        });
      }
    });

    test('loses nothing when replicas are killed', async () => {
      let restarting = Promise.resolve();
      let kills = 0;
      const outcome = await editByAll({
        ...work(),
        edits: EDITS * 2,
        onAnswer: (_, answers) => {
          if (answers % ANSWERS_BETWEEN_KILLS !== 0) return;
          const victim = replicas[kills++ % replicas.length]!;
          restarting = restarting.then(async () => {
            await victim.kill();
            await victim.start();
          });
        },
      });
      await restarting;
      expect(kills).toBeGreaterThan(2);
      // The next change of a file finds out whether the interrupted changes were made.
      const last = await editByAll({ ...work(), clients: COUNT, edits: 1, prefix: 'last' });
      for (const [file, lines] of last.done)
        outcome.done.set(file, [...(outcome.done.get(file) ?? []), ...lines]);
      await expectNothingPending(address, directory, 'shared');
      await expectAllWell(outcome);
    });

    test('recovers from a restart of the database without being restarted itself', async () => {
      let restarting: Promise<void> | undefined;
      const outcome = await editByAll({
        ...work(),
        edits: EDITS + 1,
        onAnswer: (_, answers) => {
          if (answers < CLIENTS || restarting) return;
          restarting = (async () => {
            await cluster.stop();
            await Promise.all(replicas.map((replica) => expectReads(replica)));
            await cluster.start();
          })();
        },
      });
      await restarting;
      for (const said of outcome.said) expect(said).toMatch(AWAY);
      expect(outcome.unknown.size).toBe(0);
      await expectAllWell(outcome);
    });

    test('makes no late change through a replica that was stopped for longer than its locks last', async () => {
      let stopped: Promise<void> | undefined;
      const outcome = await editByAll({
        ...work(),
        edits: EDITS + 1,
        onAnswer: (_, answers) => {
          if (answers < CLIENTS || stopped) return;
          replicas[0]!.signal('SIGSTOP');
          stopped = heldLocksEnd().then(() => replicas[0]!.signal('SIGCONT'));
        },
      });
      await stopped;
      await expectAllWell(outcome);
    });
  });

  describe('with a network that can be cut', () => {
    /** One for each replica. */
    let proxies: CuttableProxy[];
    beforeAll(async () => {
      proxies = await Promise.all([CuttableProxy.start(cluster.port), CuttableProxy.start(cluster.port)]);
      const ports = proxies.map(({ port }) => port);
      await startAll('cut', ports);
    });
    afterEach(() => {
      for (const proxy of proxies) proxy.mend();
    });
    afterAll(async () => {
      await killAll();
      await Promise.all(proxies.map((proxy) => proxy.end()));
    });

    test('keeps reading and refuses changes while the database is cut off, and recovers afterwards', async () => {
      let cut: Promise<void> | undefined;
      let isRefused = false;
      const outcome = await editByAll({
        ...work(),
        edits: EDITS + 1,
        onAnswer: (answer, answers) => {
          if (answer.kind === 'refused') isRefused = true;
          if (answers < CLIENTS || cut) return;
          cut = (async () => {
            for (const proxy of proxies) proxy.cut();
            await Promise.all(replicas.map((replica) => expectReads(replica)));
            await heldLocksEnd();
            await until(() => isRefused);
            await Promise.all(replicas.map((replica) => expectReads(replica)));
            for (const proxy of proxies) proxy.mend();
          })();
        },
      });
      await cut;
      expect([...outcome.said].filter((said) => AWAY.test(said))).not.toEqual([]);
      for (const said of outcome.said) expect(said).toMatch(AWAY_OR_BUSY);
      await expectAllWell(outcome);
    });

    test('changes nothing through a replica whose lock the database ended while it was cut off', async () => {
      let cut: Promise<void> | undefined;
      let answered = 0;
      const outcome = await editByAll({
        ...work(),
        edits: EDITS + 1,
        onAnswer: (_, answers) => {
          answered = answers;
          if (answers < 10 || cut) return;
          cut = (async () => {
            replicas[0]!.signal('SIGSTOP');
            proxies[0]!.cut();
            // Ends all locks that any replica holds now.
            await cluster.run(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'",
            );
            replicas[0]!.signal('SIGCONT');
            await until(() => answered >= answers + 5);
            proxies[0]!.mend();
          })();
        },
      });
      await cut;
      for (const said of outcome.said) expect(said).toMatch(AWAY_OR_CHANGED);
      await expectAllWell(outcome);
    });
  });

  function startElsewhere(): Promise<Replica> {
    const elsewhere = join(scratch.path, 'elsewhere');
    mkdirSync(elsewhere);
    const mount = `mount --bind '${directory}' '${elsewhere}' && exec "$@"`;
    return new Replica(address, [`${elsewhere}=shared`], ['unshare', '-m', 'sh', '-c', mount, '-']).start();
  }

  /** Waits until every lock that is held now has ended: the database ends the locks of silent holders. */
  async function heldLocksEnd(): Promise<void> {
    const holders = async () => {
      const rows = await cluster.run(
        "SELECT l.virtualtransaction AS id FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE c.relname = 'locks'",
      );
      return rows.map(({ id }) => id);
    };
    const held = new Set(await holders());
    while ((await holders()).some((id) => held.has(id)))
      await new Promise((resolve) => setTimeout(resolve, 200));
  }

  async function expectReads(replica: Replica): Promise<void> {
    const answer = await replica.call('read_text_file', { path: files[0] });
    expect(answer).toMatchObject({ kind: 'done', text: expect.stringMatching(/first[\s\S]*last/) });
    expect(await replica.call('list_directory', { path: '.' })).toMatchObject({ kind: 'done' });
  }
});

test.skipIf(hasBouncer)(NO_BOUNCER, (context) => context.skip());
test.skipIf(postgresPrograms() !== undefined)(NO_POSTGRES, (context) => context.skip());
