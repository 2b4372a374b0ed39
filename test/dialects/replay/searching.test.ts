/** replay's search tools beyond what golden files can show: many files, other users, runaway patterns, the wire. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replayError } from '../../../src/dialects/replay/failures.ts';
import { Engine, EngineFailure } from '../../../src/engine/index.ts';
import { program, RawClient, WireClient } from '../../client.ts';
import { InProcessClient } from '../../in-process.ts';
import { proves } from '../../proves.ts';
import { soak } from '../../soak.ts';
import { layOut, type Tree, temporaryDirectory } from '../../tree.ts';
import { until } from '../../until.ts';

const RUNAWAY = '^(a+)+$';
const BAIT = `${'a'.repeat(50)}b\n`;

let temporary: { path: string; remove(): void };
let root: string;
let client: (WireClient & { end(): Promise<unknown> }) | undefined;

beforeEach(() => {
  temporary = temporaryDirectory();
  root = join(temporary.path, 'root');
});

afterEach(async () => {
  await client?.end();
  client = undefined;
  temporary.remove();
});

async function serve(tree: Tree, directories = [root], env = process.env): Promise<InProcessClient> {
  layOut(root, { './': '', ...tree });
  const served = await InProcessClient.start(['--dialect', 'replay', ...directories], env);
  client = served;
  return served;
}

/** Starts a server in a process of its own, whose threads can be counted. */
async function serveApart(tree: Tree): Promise<RawClient> {
  layOut(root, { './': '', ...tree });
  const served = await RawClient.start(['--dialect', 'replay', root]);
  client = served;
  return served;
}

function many(count: number, text = ''): Tree {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`d${i % 9}/f${i}.txt`, text]));
}

describe('many results', () => {
  it('are all returned by search_files, and the first 1000 by glob_search', async () => {
    proves('replay.search_files.no-cap', 'replay.glob_search.max');
    const tree = many(1205);
    const { text, call } = clientOf(await serve(tree));
    const all = Object.keys(tree)
      .map((path) => join(root, path))
      .sort();
    expect(await text('search_files', { directory: root, nameContains: 'F' })).toBe(all.join('\n'));
    const { result } = await call('glob_search', { directory: root, globs: ['**/*.txt'] });
    expect(result!.content.map((item) => item.text)).toEqual([
      all.slice(0, 1000).join('\n'),
      '[truncated: the first 1000 files; raise max, or 0 for all]',
    ]);
    const unlimited = { directory: root, globs: ['**/*.txt'], max: 0 };
    expect(await text('glob_search', unlimited)).toBe(all.join('\n'));
  });

  it('begin with the same 500 each time in grep_files', async () => {
    proves('replay.grep_files.max', 'replay.grep_files.order');
    const tree = many(700, 'x\nx\n');
    const { text } = clientOf(await serve(tree));
    const first = Object.keys(tree)
      .sort()
      .flatMap((path) => [1, 2].map((line) => `${join(root, path)}:${line}:x`))
      .slice(0, 500);
    const expected = ['[truncated: the first 500 matches; there are more]', ...first, '[500 matches]'].join(
      '\n',
    );
    for (let round = 0; round < 2; round++) {
      expect(await text('grep_files', { regex: 'x', directory: root })).toBe(expected);
      expect(await text('grep_files', { regex: '[^a]', directory: root, globs: ['**/*.txt'] })).toBe(
        expected,
      );
      expect(await text('grep_files', { regex: '\\w', globs: ['d*/*'] })).toBe(expected);
    }
  });

  it('a NUL byte counts as binary within the first 4096 bytes only', async () => {
    proves('replay.grep_files.binary');
    const { text } = clientOf(
      await serve({ early: `${'y'.repeat(4094)}\n\0x\n`, late: `${'y'.repeat(4095)}\n\0x\n` }),
    );
    expect(await text('grep_files', { regex: 'x', directory: root })).toBe(`${root}/late:2:\0x\n[1 matches]`);
  });
});

describe('edit_files with very many paths', () => {
  it('lets other calls run, and reports each file once', async () => {
    const client = await serve({ 'a.txt': 'x\n', 'b.txt': 'x\n' });
    const { text } = clientOf(client);
    const edits = [{ oldText: 'x', newText: 'y' }];
    const missing = Array.from({ length: soak(1000, 5000) }, (_, index) => `none/${index}`);
    let answered = false;
    const editing = text('edit_files', { paths: missing, edits, dryRun: true }).then(() => {
      answered = true;
    });
    await text('read_file', { path: 'a.txt' });
    await text('read_file', { path: 'b.txt' });
    expect(answered).toBe(false);
    await editing;
    const twice = Array.from({ length: soak(50, 2000) }, () => '*.txt');
    expect((await text('edit_files', { paths: twice, edits, dryRun: true })).match(/^--- /gm)).toHaveLength(
      2,
    );
  });
});

describe('the paths of results', () => {
  it('are absolute for ~ and for a directory that was given as a link', async () => {
    proves('replay.search_files.absolute', 'replay.grep_files.output');
    layOut(temporary.path, { 'home/in/h.txt': 'x\n', 'home/in/no/n.txt': 'x\n' });
    symlinkSync(root, join(temporary.path, 'link'));
    const link = join(temporary.path, 'link');
    const home = join(temporary.path, 'home');
    const { text } = clientOf(
      await serve({ 'a.txt': 'x\n', 'd/b.txt': 'x\n' }, [link, join(home, 'in')], {
        ...process.env,
        HOME: home,
      }),
    );
    const names = { nameContains: '.txt' };
    expect(await text('search_files', { directory: '.', ...names })).toBe(`${link}/a.txt\n${link}/d/b.txt`);
    expect(await text('search_files', { directory: root, ...names })).toBe(`${root}/a.txt\n${root}/d/b.txt`);
    expect(await text('search_files', { directory: '~/in', ...names, excludeGlobs: ['~/in/no'] })).toBe(
      `${home}/in/h.txt`,
    );
    for (const glob of [`${root}/*`, `${temporary.path}/r*/*`]) {
      const shown = glob.startsWith(`${root}/`) ? root : link;
      expect(await text('grep_files', { regex: 'x', globs: [glob] })).toBe(`${shown}/a.txt:1:x\n[1 matches]`);
    }
    const excludeGlobs = [`${root}/d/**`];
    expect(await text('grep_files', { regex: 'x', directory: link, excludeGlobs })).toBe(
      `${link}/a.txt:1:x\n[1 matches]`,
    );
    expect(await text('grep_files', { regex: 'x', globs: ['~/in/*'] })).toBe(
      `${home}/in/h.txt:1:x\n[1 matches]`,
    );
    const edits = [{ oldText: 'x', newText: 'y' }];
    expect(await text('edit_files', { paths: ['~/in/*.txt'], edits })).toBe(
      `Successfully edited ${home}/in/h.txt`,
    );
    expect(readFileSync(join(home, 'in/h.txt'), 'utf8')).toBe('y\n');
  });

  it('do not depend on the working directory', async () => {
    proves('replay.grep_files.globs-alone');
    const { text } = clientOf(await serve({ 'package.json': 'mine' }));
    expect(await text('grep_files', { regex: '', globs: ['*.json'] })).toBe(
      `${root}/package.json:1:mine\n[1 matches]`,
    );
  });
});

describe('a file or directory without read permission', () => {
  const somebody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const canRun = spawnSync(process.execPath, [program, '--version'], { cwd: '/', ...somebody }).status === 0;

  it.runIf(canRun)('is skipped and counted in a note', async () => {
    proves('replay.search_files.unreadable', 'replay.grep_files.unreadable', 'replay.glob_search.unreadable');
    layOut(root, { 'a.txt': 'x\n', 'locked.txt': { text: 'x\n', mode: '000' }, 'z.txt': 'x\n' });
    mkdirSync(join(root, 'closed'));
    writeFileSync(join(root, 'closed/in.txt'), 'x\n');
    for (const path of [temporary.path, root]) chmodSync(path, 0o755);
    chmodSync(join(root, 'closed'), 0o000);
    const line = [program, '--dialect', 'replay', '--no-journal', root];
    const child = spawn(process.execPath, line, { cwd: '/', stdio: 'pipe', ...somebody });
    const server = new WireClient(child.stdin, child.stdout);
    const { text: ask } = clientOf(server);
    try {
      await server.initialize();
      expect(await ask('grep_files', { regex: 'x', directory: root })).toBe(
        `${root}/a.txt:1:x\n${root}/z.txt:1:x\n[2 matches]\n[2 unreadable path(s) skipped]`,
      );
      expect(await ask('grep_files', { regex: 'x', globs: ['closed/*', 'a.txt'] })).toBe(
        `${root}/a.txt:1:x\n[1 matches]\n[1 unreadable path(s) skipped]`,
      );
      expect(await ask('search_files', { directory: root, nameContains: 'c' })).toBe(
        `${root}/closed\n${root}/locked.txt\n[1 unreadable path(s) skipped]`,
      );
      expect(await ask('glob_search', { directory: root, globs: ['**/[az].txt'] })).toBe(
        `${root}/a.txt\n${root}/z.txt\n[1 unreadable path(s) skipped]`,
      );
      const edits = [{ oldText: 'x', newText: 'y' }];
      const preview = await ask('edit_files', { paths: ['**/a.txt', '**/z.txt'], edits, dryRun: true });
      expect(preview).toMatch(/^-x\n\+y\n.*\n\[1 unreadable path\(s\) skipped\]$/ms);
    } finally {
      child.kill();
      chmodSync(join(root, 'closed'), 0o755);
    }
  });
});

describe('what is too much', () => {
  it('refuses globs that stand for too much together, and truncates them in the message', async () => {
    const { call } = clientOf(await serve({ 'a.txt': 'x\n' }));
    const globs = Array.from({ length: 200 }, (_, i) => `**/{0..999}*${'a'.repeat(300)}${i}?`);
    for (const [tool, args] of [
      ['glob_search', { globs }],
      ['grep_files', { globs, regex: 'x' }],
      ['grep_files', { excludeGlobs: globs, regex: 'x' }],
      ['search_files', { excludeGlobs: globs, nameContains: 'x' }],
    ] as const) {
      const { error } = await call(tool, { directory: root, ...args });
      expect(error!.code).toBe(-32602);
      expect(error!.message.length).toBeLessThan(400);
    }
  });

  it('ends an answer of grep_files where it would be too long', async () => {
    const line = 'y'.repeat(490);
    const block = [...new Array(99).fill(line), 'HIT'].join('\n');
    const { text } = clientOf(await serve({ 'a.txt': `${block}\n`.repeat(200) }));
    const args = { regex: 'HIT', directory: root, contextLines: 50, maxResults: 10_000 };
    const answer = await text('grep_files', args);
    const [, matches] =
      /^\[truncated: the first (\d+) matches; there are more, too long for one answer\]\n/.exec(answer)!;
    expect(answer.endsWith(`\n[${matches} matches]`)).toBe(true);
    expect(answer.length).toBeLessThan(8 * 1024 * 1024);
    expect(answer.length).toBeGreaterThan(7 * 1024 * 1024);
  });

  it('shows a name that is not UTF-8, which edit_files cannot edit', async () => {
    const { text } = clientOf(await serve({ 'a.txt': 'x\n' }));
    writeFileSync(
      Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff]), Buffer.from('.txt')]),
      'x\n',
    );
    expect(await text('grep_files', { regex: 'x', directory: root })).toContain(`${root}/bad\ufffd.txt:1:x`);
    const edits = [{ oldText: 'x', newText: 'y' }];
    expect(await text('edit_files', { paths: ['**/*.txt'], edits })).toBe(
      `Successfully edited ${root}/a.txt\n[1 path(s) skipped: the name is not UTF-8]`,
    );
    expect(await text('edit_files', { paths: ['b*.txt'], edits })).toBe(
      '[1 path(s) skipped: the name is not UTF-8]',
    );
  });
});

describe('a runaway pattern', () => {
  it('is cut off at the time limit, which holds for all places together', async () => {
    proves('replay.grep_files.cut-off');
    layOut(root, { 'p/bait.txt': BAIT, 'q/bait.txt': BAIT });
    const engine = new Engine({ roots: [{ path: root, writable: true }] });
    try {
      const { sources } = engine.search.sourcesOf(root, ['p/*', 'q/*']);
      expect(sources).toHaveLength(2);
      const query = { regex: RUNAWAY, maxMatches: 500 };
      const failed = await engine.search.grepAll(sources, query, { timeoutMs: 300 }).catch((error) => error);
      expect(failed).toBeInstanceOf(EngineFailure);
      expect(replayError(failed.facts)).toEqual({
        code: -32603,
        message:
          'The search was cut off after 0.3 s: the pattern takes too long. Make it simpler or more specific',
      });
      expect((await engine.search.grepAll(sources, { ...query, regex: 'b$' })).matches).toBe(2);
    } finally {
      await engine.close();
    }
  });

  it('delays no other call, and ends when it is cancelled', async () => {
    proves('replay.grep_files.cut-off', 'replay.grep_files.cancel');
    const served = await serveApart({ 'bait.txt': BAIT, 'more.txt': BAIT, 'b.txt': 'plain\n' });
    const { text } = clientOf(served);
    const params = { name: 'grep_files', arguments: { regex: RUNAWAY, globs: ['*.txt'] } };
    for (const id of ['one', 'two']) served.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
    await until(() => busyThreads(served) > 0);

    expect(await text('read_file', { path: 'b.txt' })).toBe('plain\n');
    expect(await text('grep_files', { regex: 'plain', directory: root })).toContain('[1 matches]');
    expect(await text('search_files', { directory: root, nameContains: 'b.t' })).toBe(`${root}/b.txt`);
    expect(busyThreads(served)).toBeGreaterThan(0);

    for (const requestId of ['one', 'two']) {
      served.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    }
    await until(() => busyThreads(served) === 0);
    expect(await text('grep_files', { regex: 'b$', directory: root })).toContain('[2 matches]');
  });

  it('reports progress to a client that asked for it', async () => {
    proves('replay.grep_files.progress');
    const served = await serveApart({ ...many(300, 'x\n'), 'z.txt': BAIT });
    const params = {
      name: 'grep_files',
      arguments: { regex: `x|${RUNAWAY}`, globs: ['**/*.txt'], maxResults: 10_000 },
      _meta: { progressToken: 'mine' },
    };
    served.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params });
    const outcome = served.notifications as {
      method: string;
      params: { progressToken: string; progress: number; message: string };
    }[];
    // On a slow machine the first messages only say that the call is still running.
    const counts = () =>
      outcome.find(({ params }) => /^\d+ files searched, \d+ matches$/.test(params.message));
    await until(() => counts() !== undefined);
    served.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
    await until(() => busyThreads(served) === 0);
    expect(counts()).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'mine' } });
    const numbers = outcome.map(({ params: { progress } }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });
});

function clientOf(served: WireClient): Pick<WireClient, 'text' | 'call'> {
  return { text: served.text.bind(served), call: served.call.bind(served) };
}

/** Counts the threads of the server, besides the main one, that the operating system is running right now. */
function busyThreads({ child }: RawClient): number {
  const tasks = `/proc/${child.pid}/task`;
  const others = readdirSync(tasks).filter((task) => task !== String(child.pid));
  return others.filter((task) => {
    try {
      return /\) R /.test(readFileSync(`${tasks}/${task}/stat`, 'utf8'));
    } catch {
      return false;
    }
  }).length;
}
