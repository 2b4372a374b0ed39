/** Which directories and tools a server offers: it leaves out what it cannot serve, and says so. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../../src/dialects/index.ts';
import { program } from '../client.ts';
import { InProcessClient, runInProcess } from '../in-process.ts';
import { ask, hello, usual } from '../server/http-fixture.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
let root: string;
beforeAll(() => {
  directory = temporaryDirectory();
  layOut(directory.path, {
    'root/a.txt': 'in root\n',
    'other/a.txt': 'in other\n',
    'closed/a.txt': 'secret\n',
    file: 'x',
    dangling: { link: 'nowhere' },
    loop: { link: 'loop' },
  });
  root = join(directory.path, 'root');
});
afterAll(() => directory.remove());

const run = (args: string[]) => runInProcess(args, { cwd: directory.path });

/** Runs the program as another user, which needs a process of its own. */
function runAs(user: { uid: number; gid: number }, args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    ...{ cwd: directory.path, encoding: 'utf8', input: '', ...user },
  });
  return { status, stdout, stderr };
}

describe('a directory that is given twice', () => {
  it('is served once, and read-only if one of the two is', async () => {
    const listed = async (...given: string[]) =>
      (await run(['call', 'list_allowed_directories', '{}', ...given])).stdout;
    expect(await listed('root', './root/', root)).toBe(`Allowed directories:\n${root}\n`);
    expect(await listed('root', 'root:ro')).toBe(`Allowed directories:\n${root} (read-only)\n`);
    expect(await listed('root:ro', 'root')).toBe(`Allowed directories:\n${root} (read-only)\n`);
  });

  it('counts as one for a dialect that serves a single directory', async () => {
    expect(await run(['--dialect', 'workspace', 'root', root])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`workspace on ${root}; wall: `),
    });
  });
});

describe('a directory that cannot be served, beside one that can', () => {
  it.each([
    ['nothing', 'nothing: no such directory'],
    ['nothing:ro', 'nothing: no such directory'],
    ['./nothing/below', './nothing/below: no such directory'],
    ['file', 'file: not a directory'],
    ['file/below', 'file/below: not a directory'],
    ['dangling', 'dangling: no such directory'],
    ['loop', 'loop: cannot be opened (link-loop)'],
  ])('%s is left out with a warning, whatever its position', async (bad, why) => {
    for (const given of [
      [bad, 'root'],
      ['root', bad],
    ]) {
      const { status, stderr } = await run(given);
      expect(status).toBe(0);
      const [warning, start, ...more] = stderr.trim().split('\n');
      expect(warning).toBe(`cofferdam: warning: ${why}; it is left out`);
      expect(start).toMatch(new RegExp(`standard on ${root}; wall: `));
      expect(more).toEqual([]);
    }
  });

  it('is not the base of relative paths, and no tool mentions it', async () => {
    const read = await run(['call', 'read_file', '{"path":"a.txt"}', 'nothing', 'other', 'file', 'root']);
    expect([read.status, read.stdout]).toEqual([0, 'in other\n']);
    const { stdout } = await run([
      'call',
      'list_allowed_directories',
      '{}',
      'nothing',
      'other',
      'file',
      'root',
    ]);
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((line) => line.includes('/')),
    ).toEqual([expect.stringContaining(join(directory.path, 'other')), expect.stringContaining(root)]);
  });

  it('is mentioned once, however often it is given', async () => {
    const { stderr } = await run(['nothing', 'root', 'nothing', './nothing:ro']);
    expect(stderr.match(/nothing: no such directory/g)).toHaveLength(1);
  });

  it('is reported as not served by doctor', async () => {
    const { status, stdout } = await run(['doctor', 'root', 'nothing']);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^yes +directory +\S+\/root \(read-write\)\nno +directory +nothing: no such directory$/m,
    );
  });

  it.runIf(process.getuid?.() === 0)('can be a directory that this user may not read', (context) => {
    const somebody = { uid: 1234, gid: 1234 };
    if (runAs(somebody, ['--version']).status !== 0) context.skip();
    chmodSync(directory.path, 0o755);
    chmodSync(join(directory.path, 'closed'), 0o700);
    const { status, stdout, stderr } = runAs(somebody, [
      'call',
      'read_file',
      '{"path":"a.txt"}',
      'closed',
      'root',
    ]);
    expect([status, stdout]).toEqual([0, 'in root\n']);
    expect(stderr).toContain('warning: closed: cannot be read by this user; it is left out');
  });
});

describe('several directories', () => {
  it.each([['repo'], ['workspace'], ['repo,workspace']])('are an error with %s alone', async (named) => {
    for (const args of [[], ['call', 'read_file', '{"path":"a.txt"}']]) {
      const { status, stdout, stderr } = await run([...args, '--dialect', named, 'root', 'other']);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(
        /^cofferdam: .* one directory, and 2 are given: give one, or name a dialect too that serves them all \(standard, replay, patch, fileeditor\)\n$/,
      );
    }
  });

  it('are accepted when only one of them can be served', async () => {
    expect((await run(['--dialect', 'repo', 'nothing', 'root'])).status).toBe(0);
  });

  it('are accepted with a dialect that serves them all, and the start-up line says which serves which', async () => {
    const { status, stderr } = await run(['--dialect', 'repo,replay,workspace,patch', 'root', 'other:ro']);
    expect(status).toBe(0);
    const other = join(directory.path, 'other');
    expect(stderr).toContain(
      `, replay, patch on ${root}, ${other} (read-only); repo, workspace on ${root}; wall: `,
    );
  });
});

const READ_ONLY: Readonly<Record<string, string[]>> = {
  standard: [
    ...['read_file', 'read_text_file', 'read_media_file', 'read_multiple_files', 'list_directory'],
    ...['list_directory_with_sizes', 'directory_tree', 'search_files', 'get_file_info'],
    ...['list_allowed_directories', 'grep_files', 'history'],
  ],
  replay: [
    ...['read_file', 'read_multiple_files', 'list_directory', 'directory_tree', 'get_file_info'],
    ...['list_allowed_directories', 'edit_file', 'edit_files', 'search_files', 'grep_files', 'glob_search'],
  ],
  patch: ['shell_exec'],
  workspace: ['list_dir', 'read_file'],
  fileeditor: ['set_workspace', 'read_files', 'list_files'],
  repo: ['list_files', 'read_file', 'search_files', 'get_repo_overview'],
};

/** A call that would change something, if it could. */
const CHANGES: Readonly<Record<string, Record<string, object>>> = {
  standard: {
    write_file: { path: 'new.txt', content: 'x' },
    create_directory: { path: 'new' },
    move_file: { source: 'a.txt', destination: 'b.txt' },
    delete_file: { path: 'a.txt' },
    edit_file: { path: 'a.txt', edits: [{ oldText: 'in', newText: 'out' }] },
  },
  replay: {
    write_file: { path: 'new.txt', content: 'x' },
    create_directory: { path: 'new' },
    move_file: { source: 'a.txt', destination: 'b.txt' },
    delete_file: { path: 'a.txt' },
    edit_file: { path: 'a.txt', edits: [{ oldText: 'in', newText: 'out' }] },
  },
  patch: {
    patch_apply: { path: 'a.txt', patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-in root\n+x\n' },
    append: { path: 'a.txt', content: 'x' },
    write_file: { path: 'new.txt', content: 'x' },
    create_directory: { path: 'new' },
    move_file: { source: 'a.txt', destination: 'b.txt' },
  },
  workspace: {
    edit_file: { file: 'a.txt', find: 'in', replace: 'out' },
    write_file: { file: 'new.txt', content: 'x' },
    delete_file: { path: 'a.txt' },
    move_file: { from: 'a.txt', to: 'b.txt' },
    mkdir: { dir: 'new' },
  },
};

const hasBubblewrap = spawnSync(process.execPath, [program, 'doctor', import.meta.dirname], {
  encoding: 'utf8',
}).stdout.match(/^yes +commands: bubblewrap/m);
const commandTool = (name: string) =>
  hasBubblewrap ? ({ replay: ['execute_command'], workspace: ['run_command'] }[name] ?? []) : [];

describe('when nothing may be changed', () => {
  it.each(dialects.map(({ name }) => name))('%s offers on stdio only what can succeed', async (name) => {
    const expected = [...READ_ONLY[name]!, ...commandTool(name)];
    for (const args of [['--read-only', root], [`${root}:ro`]]) {
      const client = await InProcessClient.start(['--dialect', name, ...args]);
      const { result } = await client.request('tools/list');
      const tools = (result as unknown as { tools: { name: string }[] }).tools.map((tool) => tool.name);
      expect(tools).toEqual(expected);
      for (const [tool, args] of Object.entries(CHANGES[name] ?? {})) {
        const reply = await client.request('tools/call', { name: tool, arguments: args });
        const text = reply.error?.message ?? reply.result!.content[0]!.text!;
        expect(reply.error !== undefined || reply.result!.isError, tool).toBe(true);
        expect(text, tool).toMatch(/read-only|READ_ONLY|read only|not allowed|ermission/);
        expect(text, tool).not.toMatch(/unknown tool/i);
      }
      await client.end();
    }
  });

  it('an unknown tool is an error that names the tools on offer', async () => {
    const client = await InProcessClient.start(['--read-only', root]);
    const { error } = await client.request('tools/call', { name: 'nonsense', arguments: {} });
    expect(error!.message).toContain('grep_files');
    expect(error!.message).not.toContain('write_file');
    await client.end();
  });

  it('command tools are also left out when nothing confines commands', async () => {
    const client = await InProcessClient.start(['--read-only', '--sandbox', 'off', root]);
    const { result } = await client.request('tools/list');
    expect(JSON.stringify(result)).not.toContain('execute_command');
    const reply = await client.request('tools/call', {
      name: 'execute_command',
      arguments: { command: 'true' },
    });
    expect(reply.error!.message).toContain('nothing may be changed here');
    await client.end();
  });

  it('a read-only token gets the same tools over HTTP, and another token all of them', async () => {
    const tokens = join(directory.path, 'tokens');
    writeFileSync(tokens, 'reader token-of-the-reader read-only\nwriter token-of-the-writer read-write\n', {
      mode: 0o600,
    });
    const args = ['--dialect', 'replay', '--http', '0', '--token-file', tokens, root];
    const child = spawn(process.execPath, [program, ...args]);
    let says = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      says += chunk;
    });
    try {
      while (!/serving http/.test(says)) await pause(10);
      const port = Number(/serving http:\/\/127\.0\.0\.1:(\d+)/.exec(says)![1]);
      const list = async (token: string) => {
        const headers = { ...usual, authorization: `Bearer ${token}` };
        const post = (message: object, more = {}) =>
          ask({
            port,
            method: 'POST',
            path: '/mcp',
            headers: { ...headers, ...more },
            body: JSON.stringify(message),
          });
        const opened = await post(hello());
        const session = { 'mcp-session-id': opened.headers['mcp-session-id'] as string };
        const { text } = await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, session);
        const { text: refused } = await post(
          {
            jsonrpc: '2.0',
            id: 3,
            method: 'tools/call',
            params: { name: 'write_file', arguments: CHANGES.replay!.write_file },
          },
          session,
        );
        const names = [...text.matchAll(/"name":"(\w+)","title"/g)].map(([, name]) => name);
        return { names, refused };
      };
      const reader = await list('token-of-the-reader');
      expect(reader.names).toEqual([...READ_ONLY.replay!, ...commandTool('replay')]);
      expect(reader.refused).toMatch(/-32001.*read-only/);
      expect(existsSync(join(root, 'new.txt'))).toBe(false);
      const writer = await list('token-of-the-writer');
      expect(writer.names).toHaveLength(16);
      expect(writer.refused).toContain('Successfully wrote');
    } finally {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
  });
});

describe('tools', () => {
  it.each([
    [['--dialect', 'replay']],
    [['--dialect', 'workspace']],
    [['--dialect', 'replay', '--read-only']],
    [['--dialect', 'patch,replay']],
    [['--dialect', 'standard', '--toolset', 'read']],
  ])('%j counts the tokens that a server with the same options sends', async (options) => {
    const client = await InProcessClient.start([...options, root]);
    const { result } = await client.request('tools/list');
    await client.end();
    const { tools } = result as unknown as { tools: { name: string }[] };
    const { stdout } = await run(['tools', ...options]);
    const total = `${tools.length} tools, ≈ ${Math.ceil(JSON.stringify({ tools }).length / 4)} tokens\n`;
    expect(stdout).toContain(total);
    for (const tool of tools) expect(stdout).toContain(`  ${tool.name}(`);
    const [first] = tools;
    expect(stdout).toMatch(
      new RegExp(`  ${first!.name}\\(.*≈ ${Math.ceil(JSON.stringify(first).length / 4)} tokens\\n`),
    );
  });
});

describe('tools without a dialect', () => {
  it.each([[['--tools', 'read_file,undo']], [['--toolset', 'read']], [['--toolset', 'read', '--read-only']]])(
    '%j shows what a server with the same options offers',
    async (options) => {
      const { stdout } = await run(['tools', '--dialect', 'standard', ...options]);
      expect(stdout).toContain('  read_file(');
      expect(stdout).not.toContain('  write_file(');
      expect((await run(['tools', ...options])).stdout).toBe(stdout);
    },
  );

  it('counts run_command only where it is offered', async () => {
    const ofStandard = async (...options: string[]) =>
      (await run(['tools', ...options])).stdout.split('\nreplay:', 1)[0];
    expect(await ofStandard()).not.toContain('  run_command(');
    expect(await ofStandard('--allow-run')).toContain('  run_command(');
  });
});

describe('an option for a dialect that is not served', () => {
  it.each([
    [['--allow-command', 'make'], 'workspace'],
    [['--dialect', 'replay', '--allow-run'], 'standard'],
    [['--dialect', 'replay,patch', '--max-tokens', '500'], 'standard'],
  ])('%j causes a warning', async (options, dialect) => {
    const flag = options.find((each) => /^--(allow|max)/.test(each));
    const warning = `cofferdam: warning: ${flag} is for the ${dialect} dialect, which is not served: give --dialect ${dialect} too\n`;
    expect((await run([...options, 'root'])).stderr).toContain(warning);
    const served = await run([...options, '--dialect', dialect, 'root']);
    expect(served.stderr).not.toContain('warning');
  });
});
