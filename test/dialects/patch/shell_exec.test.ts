/** shell_exec through the installed program. test/commands has what it must refuse or cut off. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readingCommandNames } from '../../../src/engine/index.ts';
import { RawClient } from '../../client.ts';
import { isInstalled } from '../../commands/commands-fixture.ts';
import { proves } from '../../proves.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

const PERMITTED =
  'grep, sed, awk, find, cat, head, tail, wc, sort, uniq, cut, tr, diff, file, stat, ls, du, rg';

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
let client: RawClient;

beforeAll(async () => {
  temporary = temporaryDirectory();
  root = join(temporary.path, 'root');
  layOut(root, {
    'a.txt': 'hello\nworld',
    'b.txt': 'b\n',
    'crlf.txt': 'one\r\n',
    'sub/inner.txt': 'inner\n',
    'euro.txt': { repeat: '€', times: 100_000 },
    link: { link: '../outside.txt' },
    '../outside.txt': 'outside\n',
  });
  client = await RawClient.start(['--dialect', 'patch', root]);
});

afterAll(async () => {
  await client.end();
  temporary.remove();
});

const exec = async (command: string, args?: readonly string[], server = client) => {
  const { result } = await server.call('shell_exec', args === undefined ? { command } : { command, args });
  return { text: result!.content[0]!.text!, isError: result!.isError };
};

describe('the answer', () => {
  it('is the exit code, then both streams as they were printed', async () => {
    proves('patch.shell_exec.output');
    expect(await exec('cat', ['b.txt'])).toEqual({
      text: 'exit_code: 0\nstdout:\nb\n\nstderr:\n',
      isError: undefined,
    });
    expect((await exec('cat', ['a.txt'])).text).toBe('exit_code: 0\nstdout:\nhello\nworld\nstderr:\n');
    expect((await exec('cat', ['crlf.txt'])).text).toBe('exit_code: 0\nstdout:\none\r\n\nstderr:\n');
    expect((await exec('cat')).text).toBe('exit_code: 0\nstdout:\n\nstderr:\n');
  });

  it('is a success whatever the exit code', async () => {
    proves('patch.shell_exec.non-zero');
    expect(await exec('grep', ['nothing', 'a.txt'])).toEqual({
      text: 'exit_code: 1\nstdout:\n\nstderr:\n',
      isError: undefined,
    });
    expect(await exec('cat', ['b.txt', 'missing.txt'])).toEqual({
      text: 'exit_code: 1\nstdout:\nb\n\nstderr:\ncat: missing.txt: No such file or directory\n',
      isError: undefined,
    });
    expect((await exec('sed', ['q7', 'b.txt'])).text).toBe('exit_code: 7\nstdout:\nb\n\nstderr:\n');
  });

  it('is truncated at 1 MiB per stream, between characters, with a notice', async () => {
    proves('patch.decided.output-cap');
    const { text } = await exec('cat', Array(4).fill('euro.txt'));
    const characters = Math.floor((1024 * 1024) / 3);
    expect(text).toBe(`exit_code: 0\nstdout:\n${'€'.repeat(characters)}\n[truncated at 1 MiB]\nstderr:\n`);
  });
});

describe('the command', () => {
  it('must be on the list', async () => {
    proves('patch.shell_exec.whitelist', 'patch.shell_exec.error.CommandNotAllowed');
    expect(readingCommandNames.join(', ')).toBe(PERMITTED);
    expect(await exec('bash', ['-c', 'id'])).toEqual({
      text: `CommandNotAllowed: bash is not permitted. Permitted commands: ${PERMITTED}`,
      isError: true,
    });
    expect((await exec('/bin/cat', ['a.txt'])).text).toMatch(
      /^CommandNotAllowed: \/bin\/cat is not permitted/,
    );
    expect((await exec('')).text).toMatch(/^CommandNotAllowed: /);
  });

  it('cannot be mkdir or mv, which have tools of their own', async () => {
    proves('patch.shell_exec.excluded');
    const { result } = await client.request('tools/list');
    const { description } = (result!.tools as { name: string; description: string }[]).at(-1)!;
    expect(description).toContain('Use create_directory and move_file instead of mkdir and mv');
    for (const command of ['mkdir', 'mv'])
      expect((await exec(command, ['x', 'y'])).text).toMatch(/^CommandNotAllowed: /);
  });

  it('works if it is on the list, whichever it is', async () => {
    const calls: Record<string, string[]> = {
      grep: ['hello', 'a.txt'],
      sed: ['-n', '1p', 'a.txt'],
      awk: ['NR == 1', 'a.txt'],
      find: ['a.txt'],
      cat: ['a.txt'],
      head: ['-1', 'a.txt'],
      tail: ['-1', 'b.txt'],
      wc: ['-l', 'a.txt'],
      sort: ['a.txt'],
      uniq: ['a.txt'],
      cut: ['-c1', 'a.txt'],
      tr: ['a', 'b'],
      diff: ['a.txt', 'a.txt'],
      file: ['a.txt'],
      stat: ['a.txt'],
      ls: ['a.txt'],
      du: ['a.txt'],
      rg: ['hello', 'a.txt'],
    };
    expect(Object.keys(calls)).toEqual([...readingCommandNames]);
    for (const [command, args] of Object.entries(calls)) {
      const { text } = await exec(command, args);
      if (!isInstalled(command)) expect(text).toMatch(/^CommandNotInstalled: /);
      else expect(text, command).toMatch(/^exit_code: 0\nstdout:\n[\s\S]*\nstderr:\n$/);
    }
  });

  it('is started without a shell: metacharacters are plain text', async () => {
    proves('patch.shell_exec.direct');
    const before = readBack(temporary.path);
    expect(
      (await exec('cat', ['b.txt', ';', 'touch pwned', '$(id)', '`id`', '>x', '*', '&&', '|'])).text,
    ).toBe(
      [
        'exit_code: 1',
        'stdout:',
        'b',
        '',
        'stderr:',
        "cat: ';': No such file or directory",
        "cat: 'touch pwned': No such file or directory",
        "cat: '$(id)': No such file or directory",
        "cat: '`id`': No such file or directory",
        "cat: '>x': No such file or directory",
        "cat: '*': No such file or directory",
        "cat: '&&': No such file or directory",
        "cat: '|': No such file or directory",
        '',
      ].join('\n'),
    );
    expect(readBack(temporary.path)).toEqual(before);
  });

  it('runs in the root', async () => {
    proves('patch.decided.in-root');
    expect((await exec('find', ['.', '-maxdepth', '1', '-name', 'a.txt'])).text).toContain('./a.txt\n');
    expect((await exec('stat', ['-c', '%n', root])).text).toContain(`\n${root}\n`);
  });
});

describe('its arguments', () => {
  it('are checked if they are paths, before anything starts', async () => {
    proves('patch.shell_exec.paths', 'patch.shell_exec.error.OutsideRoot');
    for (const path of ['/etc/passwd', '../outside.txt', `${root}/../outside.txt`, 'sub/../../outside.txt']) {
      expect(await exec('cat', [path])).toEqual({
        text: `OutsideRoot: ${path} resolves outside the configured root`,
        isError: true,
      });
    }
    expect((await exec('cat', [`${root}/b.txt`, 'sub/../b.txt'])).text).toContain('stdout:\nb\nb\n');
  });

  it('are checked even if they are relative names of links', async () => {
    proves('patch.decided.link-arguments');
    expect((await exec('cat', ['link'])).text).toBe('OutsideRoot: link resolves outside the configured root');
  });

  it('are checked even inside options', async () => {
    proves('patch.decided.option-paths');
    for (const option of ['--file=/etc/passwd', '-f/etc/passwd', '--file=link', '-nflink']) {
      expect((await exec('grep', [option, 'a.txt'])).text, option).toMatch(/^OutsideRoot: /);
    }
    expect((await exec('grep', ['-f', '../outside.txt', 'a.txt'])).text).toMatch(/^OutsideRoot: /);
  });

  it('are not mistaken for paths if they are scripts or patterns', async () => {
    proves('patch.decided.scripts');
    expect((await exec('sed', ['-n', '/hello/p', 'a.txt'])).text).toContain('stdout:\nhello\n');
    expect((await exec('grep', ['/x', 'a.txt'])).text).toBe('exit_code: 1\nstdout:\n\nstderr:\n');
    expect((await exec('awk', ['/world/', 'a.txt'])).text).toContain('stdout:\nworld\n');
    expect((await exec('rg', ['../..', 'a.txt'])).text).toMatch(/^exit_code: [01]\n/);
  });

  it('may not make a command write, not even inside the root', async () => {
    proves('patch.decided.no-writing');
    const before = readBack(temporary.path);
    const calls: [string, string[]][] = [
      ['sed', ['-i', 's/b/c/', 'b.txt']],
      ['sort', ['-o', 'b.txt', 'a.txt']],
      ['uniq', ['a.txt', 'b.txt']],
      ['find', ['.', '-delete']],
      ['sed', ['w b.txt', 'a.txt']],
    ];
    for (const [command, args] of calls) {
      const { text, isError } = await exec(command, args);
      expect(isError).toBe(true);
      expect(text).toMatch(/^ArgumentNotAllowed: /);
    }
    expect((await exec('sort', ['-o', 'b.txt', 'a.txt'])).text).toBe(
      'ArgumentNotAllowed: sort: -o: sort would write a file; instead: the tools that write files',
    );
    expect(readBack(temporary.path)).toEqual(before);
  });

  it('may be left out, and must be strings', async () => {
    expect((await exec('ls')).text).toContain('a.txt\n');
    const { result } = await client.call('shell_exec', { command: 'ls', args: [7] });
    expect(result).toMatchObject({ isError: true });
    expect(result!.content[0]!.text).toBe('InvalidArguments: args[0] must be a string, not number');
    const nothing = await client.call('shell_exec', {});
    expect(nothing.result!.content[0]!.text).toBe('InvalidArguments: missing required field: command');
  });

  it('may be many and long, and beyond what the system takes there is a clear error', async () => {
    expect((await exec('cat', Array(5000).fill('b.txt'))).text).toContain('b\n'.repeat(5000));
    const long = await exec('awk', ['-v', `x=${'x'.repeat(100_000)}`, 'BEGIN {print length(x)}']);
    expect(long.text).toBe('exit_code: 0\nstdout:\n100000\n\nstderr:\n');
    expect(await exec('grep', ['x'.repeat(500_000), 'a.txt'])).toEqual({
      text: 'ArgumentsTooLong: the arguments are longer than the system passes to a program',
      isError: true,
    });
    for (const [command, args] of [
      ['ls', Array(2000).fill(`-${'l'.repeat(20)}`)],
      ['ls', [`-${'l'.repeat(100_000)}`]],
      ['head', Array(8000).fill('-5')],
      ['find', Array(8990).fill('-print')],
      ['find', Array(20_000).fill('-print')],
      ['cat', Array(20_000).fill('b.txt')],
    ] as const) {
      expect(await exec(command, args)).toEqual({
        text: 'ArgumentsTooLong: the arguments are longer than the system passes to a program',
        isError: true,
      });
    }
    const { text } = await exec('cat', [`--${'x'.repeat(100_000)}`]);
    expect(text).toMatch(/^ArgumentNotAllowed: cat: --x+…: /);
    expect(text.length).toBeLessThan(2000);
  });

  it('are shown on one line when they are refused', async () => {
    expect((await exec('cat', ['-\n'])).text).toMatch(/^ArgumentNotAllowed: cat: "-\\n": /);
    expect((await exec('ca\nt')).text).toMatch(/^CommandNotAllowed: "ca\\nt" is not permitted/);
  });
});

describe('in read-only mode', () => {
  it('shell_exec reads as usual, and cannot write', async () => {
    proves('patch.decided.read-only');
    const server = await RawClient.start(['--dialect', 'patch', '--read-only', root]);
    try {
      const before = readBack(temporary.path);
      expect((await exec('cat', ['b.txt'], server)).text).toBe('exit_code: 0\nstdout:\nb\n\nstderr:\n');
      expect((await exec('sed', ['-i', 's/b/c/', 'b.txt'], server)).isError).toBe(true);
      expect((await exec('sort', ['-ob.txt', 'a.txt'], server)).isError).toBe(true);
      const written = await server.call('write_file', { path: 'b.txt', content: 'c' });
      expect(written.result!.content[0]!.text).toMatch(/^ReadOnly: /);
      expect(readBack(temporary.path)).toEqual(before);
    } finally {
      await server.end();
    }
  });
});

describe('programs', () => {
  it('that are allowed but not installed give a clear error, and rg comes with the package', async () => {
    proves('patch.decided.not-installed', 'patch.decided.rg');
    const empty = join(temporary.path, 'empty');
    mkdirSync(empty);
    const env = { ...process.env, PATH: empty };
    const server = await RawClient.start(['--dialect', 'patch', '--sandbox', 'off', root], env);
    try {
      expect(await exec('grep', ['x', 'a.txt'], server)).toEqual({
        text: 'CommandNotInstalled: grep is permitted but not installed on this machine',
        isError: true,
      });
      expect((await exec('rg', ['-N', 'hello', 'a.txt'], server)).text).toBe(
        'exit_code: 0\nstdout:\nhello\n\nstderr:\n',
      );
    } finally {
      await server.end();
    }
  });
});
