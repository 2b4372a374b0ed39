/**
 * Sends every row of the abuse tables to the installed program, with bubblewrap and without.
 *
 * Each mode has one server, which gets all rows at once. Rows that must be cut off are in contained.test.ts.
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient, Reply } from '../client.ts';
import {
  agreedRows,
  boxed,
  type CommandsFixture,
  isInstalled,
  LEAK,
  makeCommandsFixture,
  makeSpies,
  modes,
  ownRows,
  programOnPath,
  type Row,
  SECRET,
  startServer,
  titleOf,
} from './commands-fixture.ts';

/** What the working rows of the agreed table print. */
const PRINTED: Readonly<Record<string, string | RegExp>> = {
  'grep -E /etc/passwd|\\.\\./ a.txt': '10 /etc/passwd\n',
  'sed -n 1,2p a.txt': 'hello world\n5 apples and -f\n',
  'sed s#/etc/passwd#x# a.txt': 'hello world\n5 apples and -f\n10 x\n',
  'awk $1 > 5 a.txt': 'hello world\n10 /etc/passwd\n',
  'cat a.txt b.txt': 'hello world\n5 apples and -f\n10 /etc/passwd\nhello world\n7 pears\n',
  'head -3 a.txt': 'hello world\n5 apples and -f\n10 /etc/passwd\n',
  'wc -l a.txt': '3 a.txt\n',
  'uniq -c a.txt': '      1 hello world\n      1 5 apples and -f\n      1 10 /etc/passwd\n',
  'diff -u a.txt b.txt':
    /^--- a\.txt\t.*\n\+\+\+ b\.txt\t.*\n@@ -1,3 \+1,2 @@\n hello world\n-5 apples and -f\n-10 \/etc\/passwd\n\+7 pears\n$/,
  'stat -c %s a.txt': '43\n',
  'du -sh .': /^\d+K\t\.\n$/,
  'rg -- -f .': './a.txt:5 apples and -f\n',
  'cat inlink': 'hello world\n5 apples and -f\n10 /etc/passwd\n',
  'cat ./-weird.txt': 'hello -weird\n',
};

const rows = [...agreedRows, ...ownRows].filter((row) => row.expect !== 'contain');
const denied = rows.filter((row) => row.expect === 'deny');
const started = rows.filter((row) => row.expect !== 'deny');

it('the table of our own has at least as many rows as the agreed one', () => {
  expect(ownRows.length).toBeGreaterThanOrEqual(agreedRows.length);
});

it.skipIf(!boxed)('the rows run in bubblewrap too, where it works', () => {
  expect(modes).toContain('in bubblewrap');
});

for (const mode of modes) {
  describe(mode, () => {
    let fixture: CommandsFixture;
    let server: RawClient;
    let spies: ReturnType<typeof makeSpies>;
    let before: string;
    const answers = new Map<Row, Promise<Reply>>();
    const send = (row: Row) =>
      answers.set(row, server.call('shell_exec', { command: row.command, args: row.args.map(fixture.fill) }));

    beforeAll(async () => {
      fixture = makeCommandsFixture();
      spies = makeSpies(fixture);
      server = await startServer(fixture, {
        mode,
        env: {
          PATH: mode === 'without a sandbox' ? spies.path : pathWithGnuAwk(fixture),
          // Each of these variables would change what some command does, if the command got it.
          POSIXLY_CORRECT: '1',
          GREP_OPTIONS: '-R',
          GREP_COLORS: 'mt=01;31',
          RIPGREP_CONFIG_PATH: `${fixture.out}/secret.txt`,
          QUOTING_STYLE: 'c',
          LS_BLOCK_SIZE: '1',
          TIME_STYLE: '+%Y',
          AWKPATH: fixture.out,
          MAGIC: `${fixture.out}/secret.txt`,
          TZ: `:${fixture.out}/secret.txt`,
          LC_ALL: 'tr_TR.UTF-8',
          HOME: fixture.out,
        },
      });
      // The server also starts sed and awk to find out which versions are installed.
      await server.call('shell_exec', { command: 'stat', args: ['a.txt'] });
      spies.forget();
      before = fixture.snapshot();
      for (const row of denied) send(row);
      await Promise.all(answers.values());
    });

    afterAll(async () => {
      await server.end();
      fixture.remove();
    });

    it('refused rows start nothing', () => {
      expect(spies.started().filter(Boolean)).toEqual([]);
    });

    for (const row of denied) {
      it(titleOf(row), async () => {
        const { result, error } = await answers.get(row)!;
        expect(error).toBeUndefined();
        expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
        expect(result!.content).toHaveLength(1);
        const text = result!.content[0]!.text!;
        expect(text).toMatch(/^(?:OutsideRoot|ArgumentNotAllowed|CommandNotAllowed): /);
        if (row.refusal) expect(text.split(': ')[0]).toBe(row.refusal);
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain(LEAK);
      });
    }

    describe('a row that is started', () => {
      beforeAll(async () => {
        for (const row of started) send(row);
        await Promise.all(answers.values());
      });

      for (const row of started) {
        it(titleOf(row), async () => {
          const { result } = await answers.get(row)!;
          const text = result!.content[0]!.text!;
          if (!isInstalled(row.command)) return expect(text).toMatch(/^CommandNotInstalled: /);
          expect(result?.isError).toBeUndefined();
          expect(text).not.toContain(SECRET);
          expect(text).not.toContain(LEAK);
          if (row.expect === 'allow') expectRightOutput(row, text);
          else expect(text).toMatch(/^exit_code: \d+\nstdout:\n/);
        });
      }

      if (mode === 'without a sandbox') {
        it('was seen to start', () => {
          expect(spies.started().length).toBeGreaterThan(started.length / 2);
        });
      }

      it('leaves everything inside and outside as it was', () => {
        expect(fixture.snapshot().replace(/^\.\/spies.*\n|^\. d.*\n/gm, '')).toBe(
          before.replace(/^\.\/spies.*\n|^\. d.*\n/gm, ''),
        );
      });
    });
  });
}

/** Versions of awk differ. If GNU awk is installed, one of the two servers uses it. */
function pathWithGnuAwk({ base }: CommandsFixture): string {
  const found = programOnPath('gawk');
  if (!found) return process.env.PATH ?? '';
  mkdirSync(join(base, 'gnu'));
  symlinkSync(found, join(base, 'gnu/awk'));
  return `${join(base, 'gnu')}:${process.env.PATH}`;
}

function expectRightOutput(row: Row, text: string): void {
  const [, exit, stdout, stderr] = /^exit_code: (\d+)\nstdout:\n(.*)\nstderr:\n(.*)$/s.exec(text)!;
  expect(stderr).toBe('');
  const wanted = row.stdout ?? PRINTED[[row.command, ...row.args].join(' ')]!;
  if (typeof wanted === 'string') expect(stdout).toBe(wanted);
  else expect(stdout).toMatch(wanted);
  expect(Number(exit)).toBe(row.exit ?? (row.effect === 'legitimate use' && row.command === 'diff' ? 1 : 0));
}
