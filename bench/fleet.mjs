/** What a fleet costs: the same edits with the state in PostgreSQL and in a directory, by 1, 2 and 3 replicas. */
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { endGroup, start } from './children.mjs';
import { median, timed, timing } from './measure.mjs';
import { Server } from './server.mjs';
import { absent, comparison, figure } from './table.mjs';

const FILES = 8;
const EDITS = 10;
const PARTS = 100;
const INSTALLED = '/usr/lib/postgresql';

export const fleet = {
  name: 'fleet',
  about:
    'edits through 1, 2 and 3 replicas on PostgreSQL, against a state directory; one change by its parts',
  async run(bench) {
    const bin = newestServer();
    if (!bin) return [absent('changes through a fleet', 'PostgreSQL is not installed (Debian: postgresql)')];
    // The user of the database must be able to enter the folder, and the path of its socket must be short.
    const folder = mkdtempSync(join(tmpdir(), 'cofferdam-bench-'));
    const database = await startDatabase(bin, folder);
    try {
      return [...(await throughReplicas(bench, database)), ...(await byParts(database.address))];
    } finally {
      endGroup(database.child);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function throughReplicas(bench, { address }) {
  const rows = [];
  for (const replicas of [1, 2, 3]) {
    const shared = await openAll(bench, `fleet-${replicas}`, replicas, address);
    const alone = await openAll(bench, `alone-${replicas}`, replicas);
    const samples = { ours: [], theirs: [] };
    try {
      for (let round = 0; round <= bench.rounds; round++) {
        const took = { ours: await timed(() => editAll(shared)), theirs: await timed(() => editAll(alone)) };
        if (round > 0) for (const name of ['ours', 'theirs']) samples[name].push(took[name]);
      }
    } finally {
      for (const { server } of [...shared, ...alone]) server.stop();
    }
    rows.push(
      comparison({
        what: `edit_file, ${FILES} files at once, replicas: ${replicas}`,
        ...{ ours: timing(samples.ours), theirs: timing(samples.theirs) },
        ...{ against: 'a state directory', rate: FILES * EDITS },
        note: 'changes a second of all replicas together; the database is on the same machine and flushes',
      }),
    );
  }
  return rows;
}

async function openAll(bench, name, replicas, address) {
  const folder = bench.folder(name);
  for (let n = 0; n < FILES; n++)
    writeFileSync(join(folder, `${n}.txt`), `value = 0\n${'some text\n'.repeat(400)}`);
  const where = address ? `${folder}=${name}` : folder;
  const flags = address ? [] : ['--state', bench.folder(`${name}-state`)];
  const env = address ? { ...process.env, COFFERDAM_STATE: address } : process.env;
  const opening = Array.from({ length: replicas }, () =>
    Server.open({ ...bench.cofferdam(where, { flags }), env }),
  );
  const values = Array(FILES).fill(0);
  return (await Promise.all(opening)).map((server) => ({ server, folder, values }));
}

/** Each file has one client, whose edits go to the replicas in turn. */
async function editAll(replicas) {
  const client = async (file) => {
    for (let n = 0; n < EDITS; n++) {
      const { server, folder, values } = replicas[(file + n) % replicas.length];
      const [oldText, newText] = [`value = ${values[file]}\n`, `value = ${++values[file]}\n`];
      const path = join(folder, `${file}.txt`);
      const { result, error } = await server.call('edit_file', { path, edits: [{ oldText, newText }] });
      if (error || result?.isError) throw new Error(JSON.stringify(error ?? result));
    }
  };
  await Promise.all(Array.from({ length: FILES }, (_, file) => client(file)));
}

/** Times the statements of one change, one after another, on an idle database. */
async function byParts(address) {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const key = "'\\x00'";
  await client.query(`INSERT INTO cofferdam.locks (key) VALUES (${key})`);
  const statements = {
    'lock and unlock': [
      `BEGIN; SELECT key FROM cofferdam.locks WHERE key = ${key} FOR UPDATE`,
      `SET LOCAL synchronous_commit = off; UPDATE cofferdam.locks SET at = clock_timestamp() WHERE key = ${key}; COMMIT`,
    ],
    'proof of the lock': ['SELECT 1'],
    'journal, one line': [added('journal', 400)],
    'trace, one event (nobody waits for it)': [added('trace', 600)],
    'contents, 4 KiB': [
      `INSERT INTO cofferdam.content_chunks (id, n, deflated, data)
       SELECT -nextval('cofferdam.content_ids'), 0, false, decode(repeat('ab', 4096), 'hex')`,
    ],
  };
  const rows = [];
  for (const [part, texts] of Object.entries(statements)) {
    const samples = [];
    for (let n = 0; n < PARTS; n++) {
      samples.push(
        await timed(async () => {
          for (const text of texts) await client.query(text);
        }),
      );
    }
    rows.push(
      figure({
        what: `one change: ${part}`,
        ours: median(samples),
        unit: 'ms',
        note: 'round trips and commits',
      }),
    );
  }
  await client.end();
  return rows;
}

/** Adds a record to the end of a log. */
function added(log, bytes) {
  return `WITH head AS (UPDATE cofferdam.logs SET last = last + 1 WHERE log = '${log}' RETURNING last)
    INSERT INTO cofferdam.records (log, seq, writer, n, body)
    SELECT '${log}', last, gen_random_uuid(), 1, repeat('x', ${bytes}) FROM head`;
}

function newestServer() {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  const bins = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, 'bin'));
  return bins.find((bin) => existsSync(join(bin, 'initdb')));
}

/** PostgreSQL refuses to run as root. */
function otherUser() {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

async function startDatabase(bin, folder) {
  const as = otherUser();
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  execFileSync(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'cofferdam', '-E', 'UTF8'], {
    ...{ cwd: folder, stdio: 'ignore', ...as },
  });
  const child = start(join(bin, 'postgres'), ['-D', data, '-k', folder, '-c', 'listen_addresses='], {
    ...{ cwd: folder, stdio: 'ignore', ...as },
  });
  const address = `postgres://cofferdam@localhost/postgres?host=${encodeURIComponent(folder)}`;
  for (let tries = 0; tries < 300; tries++) {
    const client = new pg.Client({ connectionString: address });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return { child, address };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error('PostgreSQL did not start');
}
