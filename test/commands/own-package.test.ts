/** A server whose own package is in a served directory: it never runs anything that is written there. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawClient, type Reply } from '../client.ts';
import { temporaryDirectory } from '../tree.ts';
import { boxed } from './commands-fixture.ts';

const clone = fileURLToPath(new URL('../..', import.meta.url));
const platform = `ripgrep-${process.platform}-${process.arch}`;

let base: string;
let remove: () => void;
let root: string;
let marker: string;
let client: RawClient | undefined;

function layPackage(): void {
  const made = temporaryDirectory();
  base = made.path;
  remove = made.remove;
  root = join(base, 'project');
  marker = join(base, 'ran');
  const home = join(root, 'node_modules', 'cofferdam');
  mkdirSync(home, { recursive: true });
  // Without the declarations, which are many files that nothing runs.
  const filter = (path: string) => path !== join(clone, 'dist/types');
  cpSync(join(clone, 'dist'), join(home, 'dist'), { recursive: true, filter });
  cpSync(join(clone, 'package.json'), join(home, 'package.json'));
  const scope = join(root, 'node_modules', '@vscode');
  for (const name of ['ripgrep', platform]) {
    cpSync(join(clone, 'node_modules', '@vscode', name), join(scope, name), { recursive: true });
  }
  writeFileSync(join(root, 'a.txt'), 'one two\n');
}

async function clearAway(): Promise<void> {
  client?.child.kill('SIGKILL');
  await client?.exited;
  client = undefined;
  remove();
}

/** Lays out a new package for each test. */
function eachOnItsOwn(): void {
  beforeEach(layPackage);
  afterEach(clearAway);
}

/** The files that the program could run after its start, relative to the root. */
function programFiles(): string[] {
  const dist = 'node_modules/cofferdam/dist';
  const bundles = readdirSync(join(root, dist)).filter((name) => /\.(cjs|mjs|cache)$/.test(name));
  return [
    ...bundles.map((name) => `${dist}/${name}`),
    `${dist}/page/page.js`,
    'node_modules/cofferdam/package.json',
    'node_modules/@vscode/ripgrep/package.json',
    'node_modules/@vscode/ripgrep/lib/index.js',
    `node_modules/@vscode/${platform}/package.json`,
    `node_modules/@vscode/${platform}/bin/rg`,
  ].filter((file) => existsSync(join(root, file)));
}

function start(dialect: string, ...more: string[]): Promise<RawClient> {
  const program = join(root, 'node_modules/cofferdam/dist/cofferdam.cjs');
  const args = ['--dialect', dialect, '--state', join(base, 'state'), ...more, root];
  return RawClient.start(args, process.env, program);
}

function said({ result, error }: Reply): { failed: boolean; text: string } {
  const text = JSON.stringify(result ?? error);
  return { failed: error !== undefined || result?.isError === true || text.includes('"ok":false'), text };
}

const REASON = /part of the running Cofferdam program/;

/** Every tool of each dialect that changes what is at a path, with its name when all dialects are offered together. */
const changes: readonly [dialect: string, tool: string, args: (path: string) => object][] = [
  ['replay', 'write_file', (path) => ({ path, content: 'evil' })],
  ['replay', 'create_directory', (path) => ({ path: `${path}.d/x` })],
  ['replay', 'move_file', (path) => ({ source: path, destination: 'elsewhere' })],
  ['replay', 'delete_file', (path) => ({ path })],
  ['patch', 'append', (path) => ({ path, content: 'evil' })],
  ['patch', 'patch_write_file', (path) => ({ path, content: 'evil' })],
  ['patch', 'patch_move_file', (path) => ({ source: path, destination: 'elsewhere' })],
  ['workspace', 'workspace_write_file', (path) => ({ file: path, content: 'evil' })],
  ['workspace', 'workspace_delete_file', (path) => ({ path, recursive: true })],
  ['workspace', 'workspace_move_file', (path) => ({ from: path, to: 'elsewhere' })],
  ['workspace', 'workspace_move_file', (path) => ({ from: 'a.txt', to: path, overwrite: true })],
  ['fileeditor', 'write_files', (path) => ({ path, content: 'evil', line_count: 1 })],
];

describe('a package inside a served directory', () => {
  let files: string[];
  let before: string[];
  const contents = () =>
    files.map((file) =>
      createHash('sha256')
        .update(readFileSync(join(root, file)))
        .digest('hex'),
    );

  // No attempt here changes anything, so all tests share one package.
  beforeAll(async () => {
    layPackage();
    client = await start('replay,patch,workspace,fileeditor', ...(boxed ? ['--sandbox', 'require'] : []));
    await client.call('set_workspace', { path: root });
    files = programFiles();
    before = contents();
  });
  afterAll(clearAway);

  it.each(['replay', 'patch', 'workspace', 'fileeditor'])(
    'is read-only for the tools of %s',
    async (dialect) => {
      expect(files.length).toBeGreaterThan(12);
      for (const [, tool, args] of changes.filter(([name]) => name === dialect)) {
        for (const file of files) {
          const { failed, text } = said(await client!.call(tool, args(file)));
          expect({ tool, file, failed, text }).toMatchObject({
            failed: true,
            text: expect.stringMatching(REASON),
          });
        }
      }
      expect(contents()).toEqual(before);
      expect(existsSync(join(root, 'elsewhere'))).toBe(false);
    },
  );

  it.runIf(boxed)('cannot be changed or moved by commands in the sandbox', async () => {
    // One command for all files, because each start of a sandbox takes time.
    const onFiles = files.flatMap((file, i) => [
      `(echo evil >> ${file}); echo =$?=`,
      `(ln ${file} hard-${i} && echo evil >> hard-${i}); echo =$?=`,
    ]);
    const lines = [
      onFiles.join('; '),
      'mv node_modules old; echo =$?=',
      'mv node_modules/cofferdam old; echo =$?=',
      'mv node_modules/@vscode old; echo =$?=',
      'rm -rf node_modules/cofferdam; echo =$?=',
    ];
    for (const command of lines) {
      const answer = await client!.text('execute_command', { command });
      const results = answer.match(/^=\d+=$/gm);
      expect(results).toHaveLength(command.split('echo =').length - 1);
      expect({ command, results }).toEqual({ command, results: expect.not.arrayContaining(['=0=']) });
    }
    expect(contents()).toEqual(before);
    await client!.text('execute_command', { command: 'echo x > node_modules/beside' });
    expect(existsSync(join(root, 'node_modules/beside'))).toBe(true);
  });
});

describe('a package with links to it, inside a served directory', () => {
  eachOnItsOwn();

  it('cannot be moved or deleted with a directory above it, or changed through a link', async () => {
    mkdirSync(join(root, 'other'));
    symlinkSync('node_modules/cofferdam/dist', join(root, 'link'));
    symlinkSync('node_modules/cofferdam/dist/text-worker.cjs', join(root, 'worker.cjs'));
    client = await start('workspace');
    const attempts: [string, object][] = [
      ['move_file', { from: 'node_modules', to: 'old' }],
      ['move_file', { from: 'node_modules/cofferdam', to: 'old' }],
      ['move_file', { from: 'other', to: 'node_modules', overwrite: true }],
      ['delete_file', { path: 'node_modules', recursive: true }],
      ['delete_file', { path: 'node_modules/@vscode', recursive: true }],
      ['write_file', { file: 'link/text-worker.cjs', content: 'evil' }],
      ['write_file', { file: 'worker.cjs', content: 'evil' }],
      ['mkdir', { dir: 'node_modules/cofferdam/dist/node_modules/x', recursive: true }],
    ];
    for (const [tool, args] of attempts) {
      const { failed, text } = said(await client.call(tool, args));
      expect({ args, failed, text }).toMatchObject({ failed: true, text: expect.stringMatching(REASON) });
    }
    expect(existsSync(join(root, 'node_modules/@vscode', platform, 'bin/rg'))).toBe(true);
    // Files beside it stay writable.
    expect(said(await client.call('write_file', { file: 'node_modules/other/x', content: 'x' })).failed).toBe(
      false,
    );
    expect(said(await client.call('move_file', { from: 'node_modules/other', to: 'moved' })).failed).toBe(
      false,
    );
    // The server protects it by its identity, so it stays protected when another process renames it.
    renameSync(join(root, 'node_modules'), join(root, 'renamed'));
    const within = { file: 'renamed/cofferdam/dist/x', content: 'x' };
    expect(said(await client.call('write_file', within)).text).toMatch(REASON);
    const moved = await client.call('move_file', { from: 'renamed', to: 'again' });
    expect(said(moved).text).toMatch(REASON);
  });
});

describe('a file that another process writes over the package', () => {
  eachOnItsOwn();

  /** Leaves a mark wherever it is run. */
  function poison(): void {
    const mark = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, 'ran');`;
    for (const file of programFiles()) {
      const path = join(root, file);
      if (file.endsWith('/rg')) {
        // First as a new inode, then in place: neither may be run.
        rmSync(path);
        writeFileSync(path, `#!/bin/sh\necho ran > ${marker}\necho 'ripgrep 15.0.0'\n`);
        chmodSync(path, 0o755);
      } else if (file.endsWith('.json')) writeFileSync(path, '{"main":"evil.js"}');
      else writeFileSync(path, mark);
    }
  }

  async function useEverything(): Promise<void> {
    const edits = [{ oldText: 'o(n)e', newText: '$1', useRegex: true, isRegex: true, regex: true }];
    await client!.call('edit_file', { path: 'a.txt', edits });
    for (const regex of ['two', '\\w\\w\\w', '[a-z]+ [a-z]+', '(?=t)two']) {
      expect(await client!.text('grep_files', { regex, directory: root })).toContain('a.txt');
    }
    await client!.call('glob_search', { directory: root, globs: ['*.txt'] });
    await client!.call('search_files', { directory: root, nameContains: 'a' });
    await client!.call('search_and_replace', {
      path: 'a.txt',
      search: 't(w)o',
      replace: '$1',
      use_regex: true,
    });
    await client!.call('shell_exec', { command: 'rg', args: ['two', 'a.txt'] });
    await client!.call('execute_command', { command: 'true' });
  }

  it.each(['off', 'auto'])('never runs in the server, with --sandbox %s', async (sandbox) => {
    writeFileSync(join(root, 'b.txt'), 'one two\n');
    client = await start('replay,patch,fileeditor', '--sandbox', sandbox);
    await client.call('set_workspace', { path: root });
    await client.says('wall:');
    poison();
    await useEverything();
    expect(existsSync(marker)).toBe(false);
    const { text } = said(
      await client.call('search_and_replace', {
        path: 'a.txt',
        search: 't(w)o',
        replace: '$1',
        use_regex: true,
      }),
    );
    expect(text).not.toContain('rror: internal');
    // Regex edits still work.
    await client.text('search_and_replace', {
      path: 'b.txt',
      search: 't(w)o',
      replace: '<$1>',
      use_regex: true,
    });
    expect(readFileSync(join(root, 'b.txt'), 'utf8')).toMatch(/one <(w|\$1)>/);
  });

  it('never runs even if the first call is a command without a sandbox', async () => {
    client = await start('replay,patch,fileeditor', '--sandbox', 'off');
    const script = join(base, 'poison.sh');
    const rg = join(root, 'node_modules/@vscode', platform, 'bin/rg');
    const worker = join(root, 'node_modules/cofferdam/dist');
    writeFileSync(
      script,
      `printf '#!/bin/sh\\necho ran > ${marker}\\n' > ${rg}\nfor f in ${worker}/*worker.cjs; do echo 'require("node:fs").writeFileSync("${marker}", "ran")' > $f; done\n`,
    );
    await client.text('execute_command', { command: `sh ${script}` });
    expect(readFileSync(rg, 'latin1')).toContain('echo ran');
    await client.call('set_workspace', { path: root });
    await useEverything();
    expect(existsSync(marker)).toBe(false);
  });
});

describe('over HTTP', () => {
  eachOnItsOwn();

  it('the page and the protocol library stay those of the start', async () => {
    const program = join(root, 'node_modules/cofferdam/dist/cofferdam.cjs');
    const token = 'a-token-of-this-test-that-is-long-enough';
    const args = ['--http', '0', '--state', join(base, 'state'), root];
    client = new RawClient(args, { ...process.env, COFFERDAM_TOKEN: token }, program);
    await client.says('serving ');
    const { origin } = new URL(/serving (\S+)/.exec(client.stderr)![1]!);
    for (const file of programFiles()) writeFileSync(join(root, file), 'POISON');
    for (const path of ['/', '/page.js', '/page.css']) {
      const page = await fetch(`${origin}${path}`);
      expect(await page.text()).not.toContain('POISON');
      expect(page.status).toBe(200);
    }
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const answer = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    expect(answer.status).toBe(200);
  });
});

describe('a clone that serves itself', () => {
  eachOnItsOwn();

  it('protects the running files and leaves the sources writable', async () => {
    const home = join(base, 'clone');
    renameSync(join(root, 'node_modules/cofferdam'), home);
    mkdirSync(join(home, 'src'));
    cpSync(join(root, 'node_modules/@vscode'), join(home, 'node_modules/@vscode'), { recursive: true });
    const args = ['--state', join(base, 'state'), home];
    client = await RawClient.start(args, process.env, join(home, 'dist/cofferdam.cjs'));
    for (const path of ['dist/x.cjs', 'package.json', `node_modules/@vscode/${platform}/bin/rg`]) {
      expect(said(await client.call('write_file', { path, content: 'x' })).text).toMatch(REASON);
    }
    await client.text('write_file', { path: 'src/new.ts', content: 'x' });
  });
});

describe('Node itself in a served directory', () => {
  eachOnItsOwn();

  it('cannot be replaced or moved, but files beside it can be changed', async () => {
    const bin = join(root, 'tools/bin');
    mkdirSync(bin, { recursive: true });
    copyFileSync(process.execPath, join(bin, 'node'), constants.COPYFILE_FICLONE);
    const args = ['--state', join(base, 'state'), root];
    client = new RawClient(args, process.env, undefined, join(bin, 'node'));
    await client.initialize();
    const attempts: [string, object][] = [
      ['write_file', { path: 'tools/bin/node', content: 'evil' }],
      ['delete_file', { path: 'tools/bin/node' }],
      ['move_file', { source: 'tools', destination: 'old' }],
    ];
    for (const [tool, args] of attempts) {
      const { failed, text } = said(await client.call(tool, args));
      expect({ args, failed, text }).toMatchObject({ failed: true, text: expect.stringMatching(REASON) });
    }
    await client.text('write_file', { path: 'tools/bin/beside', content: 'x' });
    if (!boxed) return;
    const command = 'echo evil > tools/bin/node || mv tools old || rm tools/bin/node';
    expect(await client.text('execute_command', { command })).toContain('[exit code: 1]');
  });
});

describe('a program that is started by links, as npm makes them', () => {
  eachOnItsOwn();

  const link = () => join(root, 'node_modules/.bin/cofferdam');
  const other = () => join(root, 'packages/linked');

  beforeEach(() => {
    renameSync(join(root, 'node_modules/cofferdam'), join(base, 'clone'));
    mkdirSync(join(root, 'packages'));
    symlinkSync(join(base, 'clone'), other());
    mkdirSync(join(root, 'node_modules/.bin'));
    symlinkSync('../../packages/linked/dist/cofferdam.cjs', link());
  });

  function startByLink(...args: string[]): Promise<RawClient> {
    return RawClient.start([...args, '--state', join(base, 'state'), root], process.env, link());
  }

  it('protects each of them from the tools', async () => {
    client = await startByLink('--dialect', 'workspace');
    const attempts: [string, object][] = [
      ['delete_file', { path: 'node_modules/.bin/cofferdam' }],
      ['delete_file', { path: 'packages', recursive: true }],
      ['move_file', { from: 'packages/linked', to: 'old' }],
      ['move_file', { from: 'packages', to: 'old' }],
      ['move_file', { from: 'a.txt', to: 'node_modules/.bin/cofferdam', overwrite: true }],
      ['move_file', { from: 'node_modules', to: 'old' }],
    ];
    for (const [tool, args] of attempts) {
      const { failed, text } = said(await client.call(tool, args));
      expect({ args, failed, text }).toMatchObject({ failed: true, text: expect.stringMatching(REASON) });
    }
    expect(existsSync(link())).toBe(true);
    expect(said(await client.call('write_file', { file: 'packages/x', content: 'x' })).failed).toBe(false);
  });

  it.runIf(boxed)('restores each of them after a command in the sandbox', async () => {
    client = await startByLink('--dialect', 'replay', '--sandbox', 'require');
    const evil = 'mkdir -p packages/linked/dist; echo evil > packages/linked/dist/cofferdam.cjs';
    for (const command of [
      `rm packages/linked; ${evil}`,
      `mv packages old; ${evil}`,
      'rm node_modules/.bin/cofferdam; echo evil > node_modules/.bin/cofferdam',
      'ln -sfn ../../evil node_modules/.bin/cofferdam; echo evil > evil',
    ]) {
      expect(await client.text('execute_command', { command })).toContain('was put back');
      expect(readFileSync(link(), 'utf8')).toBe(readFileSync(join(base, 'clone/dist/cofferdam.cjs'), 'utf8'));
    }
  });
});

describe('the engine as a library', () => {
  eachOnItsOwn();

  it('also reads its workers before the first change', () => {
    const script = `
      import { Engine } from ${JSON.stringify(join(root, 'node_modules/cofferdam/dist/engine.mjs'))};
      import { writeFileSync } from 'node:fs';
      const engine = new Engine({ roots: [{ path: ${JSON.stringify(root)}, writable: true }] });
      await engine.files.write('b.txt', 'b');
      const failed = await engine.files.write('node_modules/cofferdam/dist/search-worker.cjs', 'x').catch((e) => e.facts);
      console.log(JSON.stringify(failed));
      await engine.close();
    `;
    const file = join(dirname(root), 'use.mjs');
    writeFileSync(file, script);
    expect(execFileSync(process.execPath, [file], { encoding: 'utf8' })).toContain('"why":"program"');
  });
});
