/** The command line: what each command prints, on which stream, and its exit code. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../client.ts';
import { runInProcess } from '../in-process.ts';
import { layOut, readBack, temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
beforeAll(() => {
  directory = temporaryDirectory();
  layOut(directory.path, {
    'root/a.txt': 'some text\n',
    'root/no-newline.txt': 'no newline',
    'root/data.bin': { base64: 'AP8=' },
    'ro/b.txt': 'b',
    file: 'x',
    dangling: { link: 'nowhere' },
    'closed/': '',
    'with:ro/c.txt': 'c',
  });
});
afterAll(() => directory.remove());

const run = (...args: string[]) => runInProcess(args, { cwd: directory.path });

/** Runs the program as another user, which needs a process of its own. */
function runAs(uid: number, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    ...{ cwd: directory.path, encoding: 'utf8', input: '', uid, gid: uid },
  });
  return { status, stdout, stderr };
}

const oneLine = (text: string | RegExp) => {
  const source = typeof text === 'string' ? text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : text.source;
  return expect.stringMatching(new RegExp(`^cofferdam: [^\\n]*${source}[^\\n]*\\n$`));
};

describe('a wrong command line ends with exit code 2 and one line on stderr', () => {
  it.each([
    ['no directory', [], 'no directory given'],
    ['no directory after options', ['--read-only'], 'no directory given'],
    ['a missing directory', ['nothing'], 'nothing: no such directory'],
    ['two missing directories', ['nothing', 'file:ro'], 'nothing: no such directory; file: not a directory'],
    ['a missing directory, read-only', ['nothing:ro'], 'nothing: no such directory'],
    ['a file', ['file'], 'file: not a directory'],
    ['something below a file', ['file/x'], 'file/x: not a directory'],
    ['a dangling link', ['dangling'], 'dangling: no such directory'],
    ['an empty name', [''], 'a directory name is empty'],
    ['nothing but :ro', [':ro'], 'a directory name is empty'],
    ['an unknown dialect', ['--dialect', 'klingon', 'root'], /unknown dialect 'klingon'.*replay/],
    [
      'an unknown dialect among known ones',
      ['--dialect', 'replay,klingon', 'root'],
      "unknown dialect 'klingon'",
    ],
    ['an empty dialect', ['--dialect', '', 'root'], "unknown dialect ''"],
    ['a dialect without a name', ['root', '--dialect'], '--dialect'],
    ['an unknown option', ['--nonsense', 'root'], "Unknown option '--nonsense'"],
    ['an unknown short option', ['-x', 'root'], "Unknown option '-x'"],
    ['a switch with a value', ['--read-only=yes', 'root'], '--read-only'],
    ['an unknown option beside --version', ['--version', '--nonsense'], "Unknown option '--nonsense'"],
    ['call without a tool', ['call'], 'call needs a tool'],
    ['call without arguments', ['call', 'read_file'], 'needs its arguments as JSON'],
    ['call without a directory', ['call', 'read_file', '{}'], 'no directory given'],
    ['call of an unknown tool', ['call', 'nonsense', '{}', 'root'], /unknown tool 'nonsense'.*read_file/],
    [
      'call of an unknown tool where nothing may be changed',
      ['call', 'nonsense', '{}', '--read-only', 'root'],
      /unknown tool 'nonsense'(?!.*(?:write_file|show_change)).*read_file/,
    ],
    ['call with arguments that are not JSON', ['call', 'read_file', '{path}', 'root'], 'not valid JSON'],
    ['call in a missing directory', ['call', 'read_file', '{}', 'nothing'], 'nothing: no such directory'],
    ['tools of an unknown dialect', ['tools', '--dialect', 'klingon'], "unknown dialect 'klingon'"],
    ['tools with an argument', ['tools', 'root'], 'tools takes no argument'],
    ['doctor of a missing directory', ['doctor', 'nothing'], 'nothing: no such directory'],
    ['doctor of a file', ['doctor', 'file'], 'file: not a directory'],
  ])('%s', async (_, args, says) => {
    expect(await run(...args)).toEqual({ status: 2, stdout: '', stderr: oneLine(says) });
  });

  it.runIf(process.getuid?.() === 0)('a directory that this user may not read', (context) => {
    const somebody = 1234;
    if (runAs(somebody, '--version').status !== 0) context.skip();
    chmodSync(directory.path, 0o755);
    for (const mode of [0o700, 0o711, 0o744]) {
      chmodSync(join(directory.path, 'closed'), mode);
      expect(runAs(somebody, 'closed'), mode.toString(8)).toEqual({
        status: 2,
        stdout: '',
        stderr: oneLine('closed: cannot be read by this user'),
      });
    }
  });
});

describe('serving', () => {
  it('logs one line about what is served and how well it is protected, and ends with its input', async () => {
    const { status, stdout, stderr } = await run('root', 'ro:ro');
    expect([status, stdout]).toEqual([0, '']);
    expect(stderr).toEqual(oneLine(/\d+\.\d+\.\d+, standard on .*root, .*ro \(read-only\); wall: /));
  });

  it('takes :ro for read-only only at the end of the name', async () => {
    for (const [given, shown] of [
      ['with:ro/', /with:ro; wall/],
      ['with:ro:ro', /with:ro \(read-only\); wall/],
    ] as const) {
      const { status, stderr } = await run(given);
      expect([status, stderr]).toEqual([0, expect.stringMatching(shown)]);
    }
  });
});

describe('--version and --help', () => {
  it('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--version'], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('--help names every command, option and dialect', async () => {
    const { status, stdout, stderr } = await run('--help');
    expect([status, stderr]).toEqual([0, '']);
    for (const word of [
      'DIR[:ro]',
      'call TOOL',
      'tools',
      'doctor',
      '--dialect',
      '--read-only',
      '--version',
      'replay',
    ]) {
      expect(stdout).toContain(word);
    }
    expect(Math.max(...stdout.split('\n').map((text) => text.length))).toBeLessThanOrEqual(110);
  });
});

describe('call', async () => {
  it('prints the answer on stdout and exits with 0', async () => {
    expect(await run('call', 'read_file', '{"path":"a.txt"}', 'root')).toEqual({
      status: 0,
      stdout: 'some text\n',
      stderr: '',
    });
  });

  it('ends the last line even when the answer does not', async () => {
    expect((await run('call', 'read_file', '{"path":"no-newline.txt"}', 'root')).stdout).toBe('no newline\n');
  });

  it('prints binary content with its type', async () => {
    const { stdout } = await run('call', 'read_media_file', '{"path":"data.bin"}', 'root');
    expect(stdout).toMatch(/^\[file:\/\/.*data\.bin, application\/octet-stream, base64\]\nAP8=\n$/);
  });

  it('prints a failure on stderr and exits with 1', async () => {
    const { status, stdout, stderr } = await run('call', 'read_file', '{"path":"missing.txt"}', 'root');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^ENOENT: no such file or directory, open 'missing\.txt'/);
    const missing = await run('call', '--dialect', 'replay', 'read_file', '{"path":"missing.txt"}', 'root');
    expect([missing.status, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toMatch(/^error -32002: Not found: missing\.txt/);
  });

  it.each([
    ['the wall', 'read_file', '{"path":"../file"}', '-32001'],
    ['arguments of the wrong type', 'read_file', '{"path":5}', '-32602'],
    ['missing arguments', 'read_file', '{}', '-32602'],
    ['arguments that are a list', 'read_file', '[]', '-32602'],
  ])('fails like the server does: %s', async (_, tool, json, code) => {
    const { status, stderr } = await run('call', '--dialect', 'replay', tool, json, 'root');
    expect([status, stderr]).toEqual([1, expect.stringMatching(`^error ${code}: `)]);
  });

  it('takes --read-only from the environment, and refuses unclear values', async () => {
    const set = (value: string, ...args: string[]) =>
      runInProcess(args, { cwd: directory.path, env: { ...process.env, COFFERDAM_READ_ONLY: value } });
    const write = ['call', 'write_file', '{"path":"set.txt","content":"x"}', 'root'];
    const before = readBack(directory.path);
    expect(await set('true', ...write)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Access denied - read-only: /),
    });
    expect(await set('${user_config.read_only}', ...write)).toMatchObject({
      status: 2,
      stderr: oneLine("COFFERDAM_READ_ONLY is true or false, not '${user_config.read_only}'"),
    });
    expect(readBack(directory.path)).toEqual(before);
    // The entry that `init` makes is for a client, whose environment does not have the variable.
    expect((await set('1', 'init', 'zed', 'root')).stdout).toContain('"--read-only"');
    for (const value of ['false', '0', ''])
      expect((await set(value, 'init', 'zed', 'root')).stdout).not.toContain('read-only');
  });

  it('takes its options anywhere, and obeys them', async () => {
    const before = readBack(directory.path);
    for (const args of [
      ['call', 'write_file', '{"path":"new.txt","content":"x"}', '--read-only', 'root'],
      ['--read-only', 'call', 'write_file', '{"path":"new.txt","content":"x"}', 'root'],
      ['call', 'write_file', '{"path":"new.txt","content":"x"}', 'ro:ro'],
      ['call', '--dialect', 'replay', 'write_file', '{"path":"new.txt","content":"x"}', 'root:ro'],
    ]) {
      const { status, stderr } = await run(...args);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^(error -32001: |Access denied - read-only: )/),
      ]);
    }
    expect(readBack(directory.path)).toEqual(before);
  });
});

describe('tools', () => {
  it('lists every tool with its parameters and what it costs', async () => {
    const { status, stdout, stderr } = await run('tools', '--dialect', 'replay');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^replay: .*\d+ tools, ≈ \d+ tokens\n/);
    expect(stdout).toMatch(/read_file\(path: string\) +≈ \d+ tokens\n/);
    expect(stdout).toMatch(/edit_file\(path: string, edits: object\[\], dryRun\?: boolean\) +≈ \d+ tokens\n/);
  });

  it('lists all dialects when none is named', async () => {
    const { stdout } = await run('tools');
    expect(stdout).toMatch(/^replay: /m);
    expect(stdout).toMatch(/^patch: /m);
  });

  it('prints the same for programs with --json', async () => {
    const { status, stdout } = await run('tools', '--dialect', 'replay', '--json');
    expect(status).toBe(0);
    const [replay] = JSON.parse(stdout);
    expect(replay).toMatchObject({ dialect: 'replay', summary: expect.any(String) });
    expect(replay.tools[0]).toMatchObject({
      name: 'read_file',
      title: expect.any(String),
      description: expect.any(String),
      inputSchema: { type: 'object', required: ['path'] },
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      tokens: expect.any(Number),
    });
  });
});

describe('doctor', () => {
  it('says which wall is active and what is served', async () => {
    const { status, stdout, stderr } = await run('doctor', 'root', 'ro:ro');
    expect([status, stderr]).toEqual([stdout.match(/^no /m) ? 1 : 0, '']);
    const [wall, ...rest] = stdout.split('\n');
    expect(wall).toMatch(process.platform === 'linux' ? /^yes +wall +race-free: / : /^no +wall +/);
    expect(rest.join('\n')).toMatch(/directory +.*root \(read-write\)\n.*directory +.*ro \(read-only\)/);
  });

  it('checks the current directory when none is given', async () => {
    const { status, stdout } = await run('doctor');
    expect(status).toBe(stdout.match(/^no /m) ? 1 : 0);
    expect(stdout).toContain(`${directory.path} (read-write)`);
  });
});
