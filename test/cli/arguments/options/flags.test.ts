/** Options and commands: which fit together, how the program answers a slip, and what each help text says. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../../../src/cli/arguments/commands.ts';
import { commandHelp, helpText } from '../../../../src/cli/arguments/help.ts';
import { type Flag, flags } from '../../../../src/cli/arguments/options/flags.ts';
import { parseCommand } from '../../../../src/cli/arguments/parse.ts';
import { UsageError } from '../../../../src/cli/usage-error.ts';
import { defaultDialect } from '../../../../src/dialects/by-name.ts';
import { dialects } from '../../../../src/dialects/index.ts';
import { version } from '../../../../src/version.ts';
import { program } from '../../../client.ts';
import { layOut, temporaryDirectory } from '../../../tree.ts';

let directory: { path: string; remove(): void };
const cwd = process.cwd();
beforeAll(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'root/a.txt': 'a\n', 'histroy/b.txt': 'b\n', 'tools/c.txt': 'c\n' });
  process.chdir(directory.path);
});
afterAll(() => {
  process.chdir(cwd);
  directory.remove();
});

/** Runs the built program. */
function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    input: '',
  });
  return { status, stdout, stderr };
}

/** The same answer, but without starting the program for wrong arguments and for questions about it. */
function answerTo(...args: string[]): ReturnType<typeof run> {
  try {
    const command = parseCommand(args, {}, directory.path);
    if (command.do === 'version') return { status: 0, stdout: `${version}\n`, stderr: '' };
    if (command.do !== 'help') return run(...args);
    const { about } = command;
    const text = about ? commandHelp(about, dialects, defaultDialect) : helpText(dialects, defaultDialect);
    return { status: 0, stdout: text, stderr: '' };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { status: 2, stdout: '', stderr: `cofferdam: ${error.message}\n` };
  }
}

it.each([
  [['--follow', 'root']],
  [['trace', '--http', '8080']],
  [['hstory']],
  [['help']],
  [['undo', '-h']],
  [['help', 'serve']],
])('%j gets the same answer from the built program as from these tests', (argv) => {
  expect(run(...argv)).toEqual(answerTo(...argv));
});

const all: readonly Flag[] = flags;
const names = commands.map(({ name }) => name);

describe('an option that a command does not take', () => {
  // Every pair is checked, because people fill in the table by hand.
  const wrong = names.flatMap((command) =>
    all.flatMap((flag) => {
      if (flag.for === 'every command' || flag.for.includes(command)) return [];
      const argv = [...(command === 'serve' ? ['root'] : [command]), `--${flag.name}`];
      return [{ command, flag: flag.name, argv: flag.value ? [...argv, '1'] : argv }];
    }),
  );

  it('is an error that names the option, the command and what the command takes', () => {
    expect(wrong.length).toBeGreaterThan(50);
    for (const { command, flag, argv } of wrong) {
      const { status, stdout, stderr } = answerTo(...argv);
      expect([status, stdout], argv.join(' ')).toEqual([2, '']);
      const who = command === 'serve' ? 'a server' : command;
      expect(stderr).toMatch(
        new RegExp(`^cofferdam: --${flag} is not for ${who}, which takes (no options|[^\\n]*--)`),
      );
    }
  });

  it.each([
    [['undo', '--json'], '--json is not for undo, which takes --state, --state-file, --since, --force'],
    [['--json', 'undo'], '--json is not for undo, which takes --state, --state-file, --since, --force'],
    [['diff', 'ab', '--force'], '--force is not for diff, which takes --encoding, --state'],
    [
      ['tools', '--sandbox', 'off'],
      '--sandbox is not for tools, which takes --dialect, --tools, --toolset, --allow-run, --read-only, --json',
    ],
    [['--follow', 'root'], '--follow is not for a server, which takes --dialect, '],
  ])('%j', (argv, says) => {
    expect(answerTo(...argv)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`cofferdam: ${says}`),
    });
  });
});

describe('options that mean nothing together are an error', () => {
  it.each([
    [['trace', '--http', '8080'], '--http is for the page: trace --web --http PORT'],
    ...['--json', '--follow', '--failed', '--limit=3', '--tool=x', '--path=x'].map((flag) => [
      ['trace', '--web', flag],
      `${flag.split('=')[0]} is for the terminal: `,
    ]),
    [['root', '--env', 'A=b'], "--env takes the name of a variable, not 'A=b'"],
    [['root', '--env='], "--env takes the name of a variable, not ''"],
  ] as [string[], string][])('%j', (argv, says) => {
    expect(answerTo(...argv)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`cofferdam: ${says}`),
    });
  });
});

describe('a slip gets a suggestion', () => {
  it.each([
    [['hstory'], 'hstory: no such directory or command; did you mean history?'],
    [['udno', '--force'], 'udno: no such directory or command; did you mean undo?'],
    [['Undo'], 'Undo: no such directory or command; did you mean undo?'],
    [['docter', 'root'], 'docter: no such directory or command; did you mean doctor?'],
    [['traces', '--json'], 'traces: no such directory or command; did you mean trace?'],
    [['--read-only', 'hist'], 'hist: no such directory or command; did you mean history?'],
    [['serve', 'root'], 'serve is not needed: cofferdam [options] DIR…'],
    [['help', 'udno'], 'help udno: no such command; did you mean undo? The commands are: '],
    [['--dialct', 'replay', 'root'], "Unknown option '--dialct'; did you mean --dialect?"],
    [['--readonly', 'root'], "Unknown option '--readonly'; did you mean --read-only?"],
    [['--dialect', 'replya', 'root'], "unknown dialect 'replya'; did you mean replay? The dialects are: "],
    [['--dialect=Repo', 'root'], "unknown dialect 'Repo'; did you mean repo? The dialects are: "],
    [
      ['call', 'read_flie', '{}', 'root'],
      "unknown tool 'read_flie'; did you mean read_file? The tools are: ",
    ],
    [['--state', '--read-only', 'root'], '--state needs a value: --state DIR'],
    [['root', '--state'], '--state needs a value: --state DIR'],
    [['call', 'read_file', '{}', 'root', '--expalin'], "Unknown option '--expalin'; did you mean --explain?"],
    // --json is near, but call does not take it.
    [['call', 'read_file', '{}', 'root', '--jsn'], "Unknown option '--jsn' (cofferdam help call lists"],
    [['-V'], "Unknown option '-V'; did you mean -v (--version)?"],
    [['undo', '-H'], "Unknown option '-H'; did you mean -h (--help)?"],
    [['-x', 'root'], "Unknown option '-x' (cofferdam help lists the options)"],
    [['version', 'nosuch'], 'version takes no further argument: nosuch'],
    [['help', 'undo', 'redo'], 'help takes no further argument: redo'],
  ])('%j', (argv, says) => {
    const { status, stdout, stderr } = answerTo(...argv);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`cofferdam: ${says}`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('reports a missing directory for a word that resembles no command', () => {
    expect(run('elsewhere').stderr).toBe('cofferdam: elsewhere: no such directory\n');
  });

  it('serves a directory whose name resembles a command, unless it is the name of a command', () => {
    const { status, stderr } = run('histroy');
    expect([status, stderr]).toEqual([0, expect.stringContaining('histroy; wall: ')]);
    expect(run('tools').stdout).toContain('replay: ');
    for (const argv of [['./tools'], ['--', 'tools']])
      expect(run(...argv).stderr).toMatch(/standard on [^;]*tools; wall: /);
  });
});

describe('help', () => {
  it.each([[['help']], [['-h']], [['--help']], [['--help', 'root']]])(
    '%j lists commands and options',
    (argv) => {
      const { status, stdout, stderr } = answerTo(...argv);
      expect([status, stderr]).toEqual([0, '']);
      for (const { name } of commands)
        expect(stdout).toContain(name === 'serve' ? 'cofferdam [options] DIR' : `cofferdam ${name} `);
      for (const { name } of flags) expect(stdout).toContain(`--${name}`);
      expect(stdout).toMatch(/^Exit codes: 0 /m);
    },
  );

  it.each(names)('for %s names exactly its options, whichever way the user asks for it', (name) => {
    const { status, stdout, stderr } = answerTo('help', name);
    expect([status, stderr]).toEqual([0, '']);
    const listed = [...stdout.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, flag]) => flag);
    const taken = all.filter((flag) => flag.for === 'every command' || flag.for.includes(name));
    expect(listed).toEqual(taken.map((flag) => flag.name));
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
    for (const argv of [
      [name, '--help'],
      ['--help', name],
      [name, '-h'],
    ])
      expect(answerTo(...argv).stdout).toBe(stdout);
  });

  it.each([[['help', 'help']], [['help', 'version']], [['help', '-h']]])(
    '%j prints the general help',
    (argv) => {
      expect(answerTo(...argv)).toEqual(answerTo('help'));
    },
  );

  it.each(names.filter((name) => name !== 'serve'))(
    'for %s is also printed when the word help follows the command',
    (name) => {
      expect(answerTo(name, 'help')).toEqual(answerTo('help', name));
    },
  );

  it.each([[['version']], [['-v']], [['--version']]])('%j prints the version', (argv) => {
    expect(run(...argv)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });
});
