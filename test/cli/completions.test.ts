/** `completions SHELL`: what the printed script completes, asked of the shell itself. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../client.ts';
import { temporaryDirectory } from '../tree.ts';

let home: { path: string; remove(): void };
beforeEach(() => {
  home = temporaryDirectory();
  mkdirSync(join(home.path, 'source'));
  writeFileSync(join(home.path, 'secret key.pem'), '');
});
afterEach(() => home.remove());

function run(...args: string[]) {
  return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
}

/** What stands on the command line, the last word being the one to complete, and what the shell offers for it. */
const CASES: readonly { line: readonly string[]; offers: readonly string[] }[] = [
  { line: ['un'], offers: ['undo'] },
  { line: ['call', 'read_t'], offers: ['read_text_file'] },
  { line: ['--dialect', 're'], offers: ['replay', 'repo'] },
  { line: ['--read-only', '--sandbox', ''], offers: ['auto', 'off', 'require'] },
  { line: ['undo', '--for'], offers: ['--force'] },
  { line: ['diff', '--for'], offers: [] },
  { line: ['init', 'claude-'], offers: ['claude-code', 'claude-desktop'] },
  { line: ['completions', ''], offers: ['bash', 'fish', 'zsh'] },
  { line: ['--tls-key', 'sec'], offers: ['secret key.pem'] },
  { line: ['--read-only', 'sour'], offers: ['source'] },
];

const shellHere = (name: string) => spawnSync(name, ['-c', 'true']).status === 0;

describe.skipIf(!shellHere('bash'))('bash', () => {
  test.each(CASES)('completes $line', ({ line, offers }) => {
    const script = `${run('completions', 'bash').stdout}
COMP_WORDS=(cofferdam "$@"); COMP_CWORD=$#; _cofferdam; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', script, 'bash', ...line], {
      cwd: home.path,
      encoding: 'utf8',
    });
    expect(namesIn(stdout)).toEqual(offers);
  });
});

describe.skipIf(!shellHere('fish'))('fish', () => {
  test.each(CASES)('completes $line', ({ line, offers }) => {
    const script = `${run('completions', 'fish').stdout}
complete -C ${JSON.stringify(['cofferdam', ...line].join(' '))}`;
    const { stdout } = spawnSync('fish', ['-c', script], {
      cwd: home.path,
      encoding: 'utf8',
      env: { ...process.env, HOME: home.path },
    });
    expect(namesIn(stdout.replace(/\t.*/g, '').replace(/\/$/gm, ''))).toEqual(offers);
  });
});

describe.skipIf(!shellHere('zsh'))('zsh', () => {
  test('accepts the script', () => {
    const file = join(home.path, '_cofferdam');
    writeFileSync(file, run('completions', 'zsh').stdout);
    expect(spawnSync('zsh', ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });
});

test('an unknown shell is an error that names the known ones', () => {
  expect(run('completions', 'tcsh')).toMatchObject({
    status: 2,
    stderr: "cofferdam: completions needs the name of a shell: bash, zsh or fish, not 'tcsh'\n",
  });
});

function namesIn(output: string): string[] {
  return output
    .split('\n')
    .filter((name) => name !== '')
    .sort();
}
