import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gnuPrograms } from '../../../src/engine/run/probe-programs.ts';
import { copyBundledPrograms, resolvePrograms } from '../../../src/engine/run/programs.ts';

let base: string;
let root: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'cofferdam-programs-')));
  root = join(base, 'root');
  for (const directory of [root, join(root, 'bin'), join(base, 'tools')]) mkdirSync(directory);
  program(join(root, 'bin', 'thing'));
  program(join(root, 'bin', 'other'));
  program(join(base, 'tools', 'thing'));
  writeFileSync(join(base, 'tools', 'plain'), 'not executable');
  mkdirSync(join(base, 'tools', 'directory'));
  symlinkSync(join(root, 'bin'), join(base, 'bin-link'));
  symlinkSync(join(root, 'bin', 'other'), join(base, 'tools', 'other'));
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

function program(path: string, text = 'echo hi'): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

const NAMES = ['thing', 'other', 'plain', 'directory', 'nowhere'];
const found = (path: string | undefined) =>
  Object.fromEntries(resolvePrograms(NAMES, { path, roots: [root] }).found);

describe('a program', () => {
  it('is found on the PATH if it is an executable file', () => {
    expect(found(join(base, 'tools'))).toEqual({ thing: join(base, 'tools', 'thing') });
  });

  it('is never found in a root, neither directly nor through a link', () => {
    expect(found(`${root}/bin:${base}/bin-link`)).toEqual({});
    expect(found(`${root}/bin:${base}/tools`)).toEqual({ thing: join(base, 'tools', 'thing') });
  });

  it('is never found in . or another relative entry', () => {
    const { path } = resolvePrograms([], { path: `.::bin:./x:${base}/tools:${root}`, roots: [root] });
    expect(path).toBe(`${base}/tools`);
  });

  it('is searched for in the usual directories when there is no PATH', () => {
    expect(resolvePrograms(['sh'], { path: undefined, roots: [] }).found.get('sh')).toMatch(/\/bin\/sh$/);
  });

  it('may come with the package, and is copied if the package is installed in a root', () => {
    const into = join(base, 'copies');
    const thing = join(root, 'bin', 'thing');
    const rg = '/usr/bin/rg';
    const bundled = copyBundledPrograms(
      { thing: { path: thing, copy: thing }, rg: { path: rg, copy: rg } },
      [root],
      into,
    );
    expect(bundled).toEqual({ thing: join(into, 'thing'), rg: '/usr/bin/rg' });
    program(join(root, 'bin', 'thing'), 'echo replaced');
    expect(readFileSync(join(into, 'thing'), 'utf8')).toContain('echo hi');
    const { found } = resolvePrograms(['thing'], { path: '/usr/bin', roots: [root], bundled });
    expect(found.get('thing')).toBe(join(into, 'thing'));
  });
});

describe('a program that is probed for its version', () => {
  it('is killed when it hangs, even if it ignores SIGTERM', async () => {
    const hangs = join(base, 'hangs');
    program(hangs, "trap '' TERM\nexec sleep 1000");
    const programs = { ...resolvePrograms([], { path: '', roots: [] }), found: new Map([['grep', hangs]]) };
    expect(await gnuPrograms(programs, 500)).toEqual(new Set());
  });
});
