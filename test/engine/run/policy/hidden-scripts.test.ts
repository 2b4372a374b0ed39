/**
 * Runs scripts that hide a forbidden act: those that the check allows must do nothing in any version of awk and sed.
 *
 * They run here without any sandbox, neither ours nor that of GNU's awk and sed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { awkScriptProblem } from '../../../../src/engine/run/policy/scripts/awk-script.ts';
import { sedScriptProblem } from '../../../../src/engine/run/policy/scripts/sed-script.ts';
import { soak } from '../../../soak.ts';
import type { Roll } from './hidden-scripts.ts';
import { awkProgram, dice, sedScript } from './hidden-scripts.ts';
import { runScripts } from './scripts-run.ts';

const SCRIPTS = soak(200, 1000);

const isThere = ([program, ...args]: readonly string[]) => {
  const { error, status } = spawnSync(program!, [...args, 'p'], { input: '' });
  return error === undefined && status !== 127;
};

/** The random scripts that the check allows, by their number. */
function allowedOf(
  count: number,
  make: (roll: Roll, id: number) => string,
  problem: (script: string) => unknown,
): Map<number, string> {
  const roll = dice(20);
  const allowed = new Map<number, string>();
  for (let id = 0; id < count; id++) {
    const script = make(roll, id);
    if (problem(script) === undefined) allowed.set(id, script);
  }
  return allowed;
}

/** Runs each script in a directory with two files. Returns those that wrote another file or read the file IN. */
function acting(
  scripts: ReadonlyMap<number, string>,
  command: (script: string) => readonly string[],
): string[] {
  const cwd = mkdtempSync(join(tmpdir(), 'cofferdam-hidden-'));
  writeFileSync(join(cwd, 'IN'), 'S3CRET\n');
  writeFileSync(join(cwd, 'LINES'), 'a/b\nx\n');
  try {
    const ran = runScripts([...scripts.values()].map(command), cwd, '');
    const readers = [...scripts.values()].filter((_, index) => ran[index]!.printed.includes('S3CRET'));
    const left = ran.at(-1)!.files.filter((name) => name !== 'IN' && name !== 'LINES');
    const writers = left.map((name) => scripts.get(Number(/PWN(\d+)/.exec(name)?.[1])) ?? name);
    return [...writers, ...readers];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

describe('awk programs that hide an act', () => {
  const allowed = allowedOf(SCRIPTS, awkProgram, awkScriptProblem);

  it('are not all refused', () => expect(allowed.size).toBeGreaterThan(SCRIPTS / 10));

  for (const awk of [['mawk'], ['gawk'], ['busybox', 'awk'], ['original-awk']]) {
    it(`do nothing in ${awk.join(' ')} when they are allowed`, ({ skip }) => {
      if (!isThere(awk)) return skip(`${awk.join(' ')} is not installed`);
      expect(acting(allowed, (program) => [...awk, '--', program])).toEqual([]);
    });
  }
});

describe('sed scripts that hide an act', () => {
  const allowed = allowedOf(SCRIPTS, sedScript, sedScriptProblem);

  it('are not all refused', () => expect(allowed.size).toBeGreaterThan(SCRIPTS / 10));

  for (const sed of [['sed'], ['busybox', 'sed']]) {
    it(`do nothing in ${sed.join(' ')} when they are allowed`, ({ skip }) => {
      if (!isThere(sed)) return skip(`${sed.join(' ')} is not installed`);
      expect(acting(allowed, (script) => [...sed, '-e', script, 'LINES'])).toEqual([]);
    });
  }
});

describe('a script that would take forever to check', () => {
  const hostile: Record<string, string> = {
    'increments before slashes': `BEGIN { ${'x++ / '.repeat(5000)} }`,
    'brackets that never close': `BEGIN { ${'x++ /[ '.repeat(4600)} }`,
    'lines of two readings': `BEGIN { ${'x++ / 2; y++ / 3\n'.repeat(1900)} }`,
    'deep nesting': `BEGIN { x = ${'('.repeat(9000)}1 /= /[/]/${')'.repeat(9000)} }`,
    'slashes in brackets': `BEGIN { x = /[${'/'.repeat(30_000)}]/ }`,
  };
  for (const [name, program] of Object.entries(hostile)) {
    it(`awk: ${name}`, () => {
      expect(() => awkScriptProblem(program)).not.toThrow();
    });
  }
  const sed = { slashes: 's/[/'.repeat(8000), labels: 'b'.repeat(32_000), lines: 's/[/]/x/\n'.repeat(3500) };
  for (const [name, script] of Object.entries(sed)) {
    it(`sed: ${name}`, () => {
      expect(() => sedScriptProblem(script)).not.toThrow();
    });
  }
});
