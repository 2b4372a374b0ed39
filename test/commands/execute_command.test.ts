/** replay's execute_command through a server, with bubblewrap and without. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InProcessClient } from '../in-process.ts';
import { proves } from '../proves.ts';
import { timedOutWhileRunning } from '../timed-out.ts';
import {
  boxed,
  type CommandsFixture,
  makeCommandsFixture,
  modes,
  startInProcess,
} from './commands-fixture.ts';

const CAP = 512 * 1024;

describe.concurrent.each(modes)('execute_command %s', (mode) => {
  let fixture: CommandsFixture;
  let server: InProcessClient;
  const run = async (command: string, more: object = {}) => {
    const { result } = await server.call('execute_command', { command, ...more });
    return { texts: result!.content.map(({ text }) => text), isError: result!.isError };
  };

  beforeAll(async () => {
    fixture = makeCommandsFixture();
    server = await startInProcess(fixture, { mode, dialect: 'replay' });
  });

  afterAll(async () => {
    await server.end();
    fixture.remove();
  });

  const runIntoLimit = (command: string) =>
    timedOutWhileRunning(
      (timeout) => run(command, { timeout }),
      ({ texts }) => /^(?:one|stubborn)\n/.test(texts[0] ?? ''),
    );

  it('gets SIGTERM at the time limit, and its output is kept', async () => {
    proves(
      'replay.execute_command.timeout.term',
      'replay.execute_command.timeout.partial',
      'replay.execute_command.error.timeout',
    );
    const [plain, tidy] = await Promise.all([
      runIntoLimit('echo two >&2; echo one; sleep 1000'),
      runIntoLimit('trap "echo tidied; exit 0" TERM; echo one; while :; do sleep 0.1; done'),
    ]);
    expect(plain).toEqual({
      texts: [
        expect.stringMatching(/^one\n\[timed out after \d+ s\]\n\[exit code: 143\]$/),
        '[stderr]\ntwo\n',
      ],
      isError: true,
    });
    expect(tidy.isError).toBe(true);
    expect(tidy.texts[0]).toMatch(/^one\ntidied\n\[timed out after \d+ s\]\n\[exit code: \d+\]$/);
  });

  it('is killed three seconds later if it ignores SIGTERM', async () => {
    proves('replay.execute_command.timeout.kill');
    const start = Date.now();
    const { texts, isError } = await runIntoLimit('trap "" TERM; echo stubborn; while :; do sleep 0.1; done');
    expect(isError).toBe(true);
    expect(texts).toEqual([
      expect.stringMatching(/^stubborn\n\[timed out after \d+ s\]\n\[exit code: 137\]$/),
    ]);
    expect(Date.now() - start).toBeGreaterThan(3900);
  });

  it('has each stream truncated at 512 KB, with a notice', async () => {
    proves('replay.execute_command.cap');
    const line = `head -c ${CAP + 1} /dev/zero | tr '\\0' x; head -c ${CAP} /dev/zero | tr '\\0' y >&2`;
    expect(await run(line)).toEqual({
      texts: [
        `${'x'.repeat(CAP)}\n[stdout truncated at 512 KB]\n[exit code: 0]`,
        `[stderr]\n${'y'.repeat(CAP)}`,
      ],
      isError: undefined,
    });
    const other = await run(`head -c ${CAP + 1} /dev/zero | tr '\\0' y >&2`);
    expect(other.texts).toEqual([
      '(no output)\n[exit code: 0]',
      `[stderr]\n${'y'.repeat(CAP)}\n[stderr truncated at 512 KB]`,
    ]);
  });

  it('may print characters of several bytes across the cap', async () => {
    const { texts } = await run(`i=0; while [ $i -lt 6 ]; do cat euro.txt; i=$((i+1)); done`);
    expect(texts[0]).toBe(`${'€'.repeat(Math.floor(CAP / 3))}\n[stdout truncated at 512 KB]\n[exit code: 0]`);
  });

  it('has the features of a shell', async () => {
    expect((await run('ls -d s*/ | sort | tr "\\n" " "')).texts).toEqual([
      's/ sub/ sub2/ sublink/ \n[exit code: 0]',
    ]);
    expect((await run('cd sub && cat < inner.txt | tr a-z A-Z')).texts).toEqual(['INNER\n[exit code: 0]']);
    expect((await run('f() { echo "$1-$2"; }; f a b; (exit 4) || echo "code $?"')).texts).toEqual([
      'a-b\ncode 4\n[exit code: 0]',
    ]);
  });

  it('has empty input and no terminal', async () => {
    expect((await run('read -r line; echo "$?"; test -t 0 || echo none')).texts).toEqual([
      '1\nnone\n[exit code: 0]',
    ]);
  });

  // Runs alone: the answer of another command would mention the file that appears and disappears.
  it.sequential('sees what was written before it, and later reads see what it wrote', async () => {
    const path = `${fixture.root}/between.txt`;
    const [, seen] = await Promise.all([
      server.call('write_file', { path, content: 'written' }),
      run('cat between.txt'),
    ]);
    expect(seen.texts).toEqual(['written\n[exit code: 0]']);
    await run('echo more >> between.txt');
    expect(await server.text('read_file', { path })).toBe('writtenmore\n');
    await server.call('delete_file', { path });
  });
});

describe('execute_command when nothing may be changed', () => {
  it.runIf(boxed)('runs in the first directory, and cannot write', async () => {
    proves('replay.execute_command.directory.readable');
    const fixture = makeCommandsFixture();
    const server = await startInProcess(fixture, {
      mode: 'in bubblewrap',
      dialect: 'replay',
      roots: [`${fixture.root}/sub:ro`, `${fixture.root}/sub2:ro`],
    });
    try {
      const before = fixture.snapshot();
      expect(await server.text('execute_command', { command: 'pwd; touch made 2>&1; cat inner.txt' })).toBe(
        `${fixture.root}/sub\ntouch: cannot touch 'made': Read-only file system\ninner\n[exit code: 0]`,
      );
      expect(fixture.snapshot()).toBe(before);
    } finally {
      await server.end();
      fixture.remove();
    }
  });

  it('does not run at all without a sandbox that would keep it from writing', async () => {
    const fixture = makeCommandsFixture();
    const server = await startInProcess(fixture, {
      mode: 'without a sandbox',
      dialect: 'replay',
      flags: ['--read-only'],
    });
    try {
      const before = fixture.snapshot();
      const { error } = await server.call('execute_command', { command: 'touch made' });
      expect(error).toMatchObject({ code: -32603 });
      expect(error!.message).toContain('without bubblewrap');
      expect(fixture.snapshot()).toBe(before);
    } finally {
      await server.end();
      fixture.remove();
    }
  });
});
