/** The scratch directories of servers: which server owns one, and when another server may remove it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverId } from '../../../src/engine/confine/content/server-identity.ts';
import { Scratch } from '../../../src/engine/run/scratch.ts';
import { program } from '../../client.ts';
import { temporaryDirectory } from '../../tree.ts';

const HOUR_MS = 3_600_000;
const domain = serverId().split('-')[0]!;

let base: string;
let remove: () => void;
let usual: string | undefined;
const made: Scratch[] = [];

beforeEach(() => {
  ({ path: base, remove } = temporaryDirectory());
  usual = process.env.TMPDIR;
  process.env.TMPDIR = base;
});

afterEach(() => {
  for (const scratch of made.splice(0)) scratch.drop();
  if (usual === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usual;
  remove();
});

function make(): Scratch {
  expect(tmpdir()).toBe(base);
  const scratch = Scratch.make(['/nowhere']);
  made.push(scratch);
  return scratch;
}

/** Makes a directory as another server would have left it that long ago. */
function folder(id: string, ageMs = 0): string {
  const path = join(base, `cofferdam-run-${id}-AbCdEf`);
  mkdirSync(path);
  const then = new Date(Date.now() - ageMs);
  utimesSync(path, then, then);
  return path;
}

describe.runIf(process.platform === 'linux')('a scratch directory', () => {
  it('has the id of its server in its name', () => {
    expect(basename(make().path)).toMatch(new RegExp(`^cofferdam-run-${serverId()}-`));
  });

  it('is removed by the next server when its own has ended on this machine', () => {
    const gone = folder(`${domain}-4194303-1`);
    const reused = folder(`${domain}-${process.pid}-1`);
    make();
    expect([gone, reused].filter((path) => existsSync(path))).toEqual([]);
  });

  it('is removed in the same way when it holds copies of ripgrep of a killed server', () => {
    const [gone, living] = [`${domain}-4194303-1`, serverId()].map((id) =>
      join(base, `cofferdam-rg-${id}-AbCdEf`),
    ) as [string, string];
    for (const path of [gone, living]) mkdirSync(path);
    const root = join(base, 'root');
    mkdirSync(root);
    writeFileSync(join(root, 'a.txt'), 'text\n');
    // The pattern has no literal to search for, so the search asks ripgrep, which the server copies.
    const call = [
      'call',
      '--dialect',
      'replay',
      'grep_files',
      JSON.stringify({ directory: root, regex: '.' }),
    ];
    const said = execFileSync(process.execPath, [program, ...call, '--no-journal', root], {
      encoding: 'utf8',
    });
    expect(said).toContain('a.txt:1:text');
    expect(readdirSync(base).filter((name) => name.startsWith('cofferdam-rg-'))).toEqual([basename(living)]);
  });

  it('stays as long as its server runs on this machine, however old it is', () => {
    const living = folder(serverId(), 1000 * HOUR_MS);
    make();
    expect(existsSync(living)).toBe(true);
  });

  it('stays for a day if its server is in another container or on another machine, or of an older version', () => {
    const fresh = [folder('zzzz-4194303-1', HOUR_MS), folder('4194302', HOUR_MS)];
    const old = [folder('zzzy-4194303-1', 25 * HOUR_MS), folder('4194301', 25 * HOUR_MS)];
    make();
    expect(fresh.filter((path) => !existsSync(path))).toEqual([]);
    expect(old.filter((path) => existsSync(path))).toEqual([]);
  });

  it.each(['cofferdam-run-notes', 'cofferdam-run-1-2-3', 'cofferdam-runs'])(
    'is recognised by its full name, unlike %s',
    (name) => {
      const path = join(base, name);
      mkdirSync(path);
      utimesSync(path, 1, 1);
      make();
      expect(existsSync(path)).toBe(true);
    },
  );

  const mayUnshare = (() => {
    try {
      execFileSync('unshare', ['--pid', '--fork', '--mount-proc', 'true'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  })();

  it.runIf(mayUnshare)('survives the start of a server in another PID namespace with the same /tmp', () => {
    const living = make().path;
    const root = join(base, 'root');
    mkdirSync(root);
    const call = [
      'call',
      '--dialect',
      'replay',
      'execute_command',
      '{"command":"echo done"}',
      '--no-journal',
      '--sandbox',
      'off',
      root,
    ];
    const said = execFileSync(
      'unshare',
      ['--pid', '--fork', '--mount-proc', process.execPath, program, ...call],
      { encoding: 'utf8' },
    );
    expect(said).toContain('done');
    expect(existsSync(living)).toBe(true);
  });
});
