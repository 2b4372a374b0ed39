import { describe, expect, it } from 'vitest';
import { EngineFailure } from '../../../../src/engine/failures.ts';
import { checkArgv } from '../../../../src/engine/run/policy/check.ts';
import type { PathArgument } from '../../../../src/engine/run/policy/declaration.ts';
import { requireShortLine } from '../../../../src/engine/run/policy/length.ts';
import { readingCommands } from '../../../../src/engine/run/policy/reading-commands.ts';

/** In these tests a path that ends in a slash is a directory, and any other path is a file. */
const asSeen = (operand: string): PathArgument => ({
  path: operand.replace(/^\.\//, ''),
  type: operand.endsWith('/') ? 'directory' : 'file',
});

function checked(command: string, args: string[], gnu = false) {
  return checkArgv(command, args, { policies: readingCommands, resolvePath: asSeen, isGnu: () => gnu });
}

function refused(command: string, args: string[]) {
  try {
    checked(command, args);
  } catch (thrown) {
    if (thrown instanceof EngineFailure) return thrown.facts;
    throw thrown;
  }
  throw new Error(`${command} ${args} was allowed`);
}

describe('an argument list that is allowed', () => {
  const lines: [words: string[], becomes: string[]][] = [
    [
      ['cat', 'a', '-n', 'b'],
      ['-n', '--', 'a', 'b'],
    ],
    [
      ['cat', '-nE', 'a'],
      ['-n', '-E', '--', 'a'],
    ],
    [
      ['cat', '--', '-n'],
      ['--', '-n'],
    ],
    [
      ['cat', './-'],
      ['--', './-'],
    ],
    [['cat'], []],
    [
      ['head', '-5', 'a'],
      ['-n', '5', '--', 'a'],
    ],
    [
      ['tail', '-5c', 'a'],
      ['-c', '5', '--', 'a'],
    ],
    [
      ['tail', '+5', 'a'],
      ['-n', '+5', '--', 'a'],
    ],
    [
      ['tail', '-2b', 'a'],
      ['-c', '2b', '--', 'a'],
    ],
    [
      ['grep', '-inA2', 'x', 'a'],
      ['-i', '-n', '-A', '2', '--', 'x', 'a'],
    ],
    [
      ['grep', '-e', '-x', 'a'],
      ['-e', '-x', '--', 'a'],
    ],
    [
      ['grep', '--regexp', 'x', 'a'],
      ['--regexp=x', '--', 'a'],
    ],
    [
      ['grep', '--color', 'x', 'a'],
      ['--color', '--', 'x', 'a'],
    ],
    [
      ['sort', '-t', '', 'a'],
      ['-t', '', '--', 'a'],
    ],
    [
      ['sed', '-n', 'a.txt', '-e', 'p'],
      ['-n', '-e', 'p', '--', 'a.txt'],
    ],
    [
      ['awk', '-F:', '{print $1}', '-'],
      ['-F', ':', '--', '{print $1}', '-'],
    ],
    [
      ['awk', '{print}', './x=1'],
      ['--', '{print}', './x=1'],
    ],
    [
      ['find', '.', '-name', '-x'],
      ['.', '-name', '-x'],
    ],
    [
      ['find', './(x', './-x', '-print'],
      ['(x', './-x', '-print'],
    ],
    [
      ['rg', '-e=x', 'a'],
      [
        ...['--no-config', '--no-ignore-messages', '-e', 'x', '--no-ignore', '--ignore-file=./.gitignore'],
        ...['--ignore-file=./.ignore', '--ignore-file=./.rgignore', '--', 'a'],
      ],
    ],
    [
      ['rg', '-uu', 'x'],
      ['--no-config', '--no-ignore-messages', '-u', '-u', '--no-ignore', '--', 'x'],
    ],
  ];
  for (const [[command, ...args], becomes] of lines) {
    it(`${command} ${JSON.stringify(args)} becomes options, --, operands`, () => {
      expect(checked(command!, args).args).toEqual(becomes);
    });
  }

  it('returns the paths among the arguments', () => {
    const reads = (command: string, args: string[]) => checked(command, args).paths.map(({ path }) => path);
    expect(reads('grep', ['-f', 'p', 'a', '-', 'b'])).toEqual(['p', 'a', 'b']);
    expect(reads('sed', ['s/a/b/', 'x', 'y'])).toEqual(['x', 'y']);
    expect(reads('find', ['x', '-newer', 'y'])).toEqual(['x', 'y']);
  });

  it("turns on the sandbox mode of GNU's sed and awk", () => {
    expect(checked('sed', ['p', 'a'], true).args).toEqual(['--sandbox', '--', 'p', 'a']);
    expect(checked('awk', ['1', 'a'], true).args).toEqual(['--sandbox', '--', '1', 'a']);
    expect(checked('cat', ['a'], true).args).toEqual(['--', 'a']);
  });
});

describe('a refusal', () => {
  it('lists the commands that are allowed', () => {
    expect(refused('sh', ['-c', 'id'])).toEqual({
      kind: 'command-not-allowed',
      command: 'sh',
      allowed: 'grep sed awk find cat head tail wc sort uniq cut tr diff file stat ls du rg'.split(' '),
    });
  });

  it('names an option that is not declared', () => {
    expect(refused('cat', ['-nZ', 'a'])).toMatchObject({ kind: 'argument-not-allowed', argument: '-Z' });
    expect(refused('ls', ['--what'])).toMatchObject({ command: 'ls', argument: '--what' });
    expect(refused('cat', ['--constructor'])).toMatchObject({ argument: '--constructor' });
  });

  it('says what an abbreviated option could be', () => {
    const { reason } = refused('sort', ['--o=x']) as { reason: string };
    expect(reason).toContain('--output');
  });

  it('says what to use instead', () => {
    expect(refused('sed', ['-ni', 'p', 'a'])).toMatchObject({
      argument: '-i',
      instead: 'the tools that edit files',
    });
    expect(refused('find', ['.', '-delete'])).toMatchObject({ instead: 'the tools that delete files' });
    expect(refused('grep', ['-R', 'x', '.'])).toMatchObject({ instead: 'grep -r' });
  });

  it('quotes the part of a script that is not allowed', () => {
    expect(refused('sed', ['-n', '/x/{p;w out\n}', 'a'])).toMatchObject({ argument: 'w out' });
    expect(refused('awk', ['{ n++ } END { system("id") }'])).toMatchObject({ argument: 'system("id") }' });
  });

  it('names a missing value, an invalid value, and a value where none belongs', () => {
    expect(refused('head', ['-n'])).toMatchObject({ reason: '-n needs a value' });
    expect(refused('head', ['a', '--lines'])).toMatchObject({ reason: '--lines needs a value' });
    expect(refused('head', ['-n', 'x'])).toMatchObject({ reason: '-n takes a number' });
    expect(refused('cat', ['--number=1'])).toMatchObject({ reason: '--number takes no value' });
    expect(refused('grep', ['-d', 'x', 'y'])).toMatchObject({ reason: '-d takes read, recurse, skip' });
  });

  it('refuses NUL characters and devices', () => {
    expect(refused('cat', ['a\0b'])).toMatchObject({ kind: 'argument-not-allowed' });
    const special = () =>
      checkArgv('cat', ['pipe'], {
        policies: readingCommands,
        resolvePath: (path) => ({ path, type: 'special' }),
      });
    expect(special).toThrow(EngineFailure);
  });

  it('asks for --no-dereference where diff would follow the links in a directory', () => {
    expect(refused('diff', ['a/', 'b/'])).toMatchObject({ instead: 'diff --no-dereference' });
    expect(refused('diff', ['--from-file=a/', 'b'])).toMatchObject({ instead: 'diff --no-dereference' });
    expect(checked('diff', ['--no-dereference', '-r', 'a/', 'b/']).args).toContain('--no-dereference');
  });
});

describe('a very long command line', () => {
  const tooLong = { kind: 'io', code: 'E2BIG' };

  it('is refused before its options are checked one by one', () => {
    expect(refused('ls', [`-${'l'.repeat(9001)}`])).toMatchObject(tooLong);
    expect(refused('ls', Array(3001).fill('-lll'))).toMatchObject(tooLong);
    expect(refused('ls', Array(9001).fill('--all'))).toMatchObject(tooLong);
    // The letters after an option that takes a value are not options.
    expect(checked('grep', [`-e${'l'.repeat(20_000)}`, 'a']).args).toContain('l'.repeat(20_000));
  });

  it('may have as many arguments as a sandbox passes', () => {
    expect(checked('ls', [`-${'l'.repeat(9000)}`]).args).toHaveLength(9000);
    expect(() => requireShortLine('ls', Array(9000).fill('a'))).not.toThrow();
    expect(() => requireShortLine('ls', Array(9001).fill('a'))).toThrow();
    expect(() => requireShortLine('ls', Array(100).fill('a'.repeat(100_000)))).toThrow();
  });
});
