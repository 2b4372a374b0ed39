/** `completions SHELL`: what the shell itself completes with the printed script. */
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

const scripts = new Map<string, string>();

function scriptFor(shell: string): string {
  const script = scripts.get(shell) ?? run('completions', shell).stdout;
  scripts.set(shell, script);
  return script;
}

/** A command line, whose last word is to be completed, and what the shell offers for it. */
const CASES: readonly { line: readonly string[]; offers: readonly string[] }[] = [
  { line: ['un'], offers: ['undo'] },
  { line: ['call', 'read_t'], offers: ['read_text_file'] },
  { line: ['--dialect', 're'], offers: ['replay', 'repo'] },
  { line: ['--dialect', 'standard,re'], offers: ['standard,replay', 'standard,repo'] },
  { line: ['--toolset', 'read,s'], offers: ['read,search'] },
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
    const script = `${scriptFor('bash')}
COMP_WORDS=(cofferdam "$@"); COMP_CWORD=$#; _cofferdam; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', script, 'bash', ...line], {
      cwd: home.path,
      encoding: 'utf8',
    });
    expect(namesIn(stdout)).toEqual(offers);
  });
});

describe.skipIf(!shellHere('bash'))('bash, which splits a word at the equals sign,', () => {
  test('completes the value after it', () => {
    const script = `${scriptFor('bash')}
for words in '--sandbox = r' '--sandbox ='; do
  COMP_WORDS=(cofferdam $words); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _cofferdam; echo "\${COMPREPLY[@]}"
done`;
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(stdout).toBe('require\nauto require off\n');
  });
});

describe.skipIf(!shellHere('fish'))('fish', () => {
  test.each(CASES)('completes $line', ({ line, offers }) => {
    const script = `${scriptFor('fish')}
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
    writeFileSync(file, scriptFor('zsh'));
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
