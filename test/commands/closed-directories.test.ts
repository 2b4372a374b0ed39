/** Directories that their owner may not list or enter until a command restores the permission. */
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layOut, temporaryDirectory } from '../tree.ts';
import { boxed } from './commands-fixture.ts';
import { UnprivilegedUser } from './unprivileged-user.ts';

const SECRET = 'S3CRET-of-the-owner';
/** The modes of three directories, which are also their names. */
const CLOSED = ['311', '600', '000'];
const CLOSE = CLOSED.map((mode) => `chmod ${mode} ${mode}`).join('; ');
const OPEN = `chmod 755 ${CLOSED.join(' ')}`;

let base: string;
let root: string;
let remove: () => void;

beforeEach(() => {
  const made = temporaryDirectory();
  base = made.path;
  remove = made.remove;
  root = join(base, 'project');
  for (const name of CLOSED) {
    layOut(join(root, name), { '.env': SECRET, 'inner/.env': SECRET, 'inner/plan/a.txt': SECRET });
  }
});

afterEach(() => {
  open();
  remove();
});

function close(): void {
  for (const mode of CLOSED) chmodSync(join(root, mode), Number.parseInt(mode, 8));
}

function open(): void {
  for (const name of CLOSED) chmodSync(join(root, name), 0o755);
}

function everything(): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
}

describe.runIf(boxed)('commands in the sandbox', () => {
  it('read nothing that is denied or hidden in such directories', () => {
    const user = new UnprivilegedUser(base, root);
    close();
    const read = CLOSED.map((name) => `cat ${name}/.env ${name}/inner/.env ${name}/inner/plan/a.txt`).join(
      ';',
    );
    const { stdout, stderr } = user.run(`${read}; ${OPEN}; ${read}`, '--deny', '.env', '--hide', 'plan/');
    expect(stdout + stderr).toContain('[exit code: 1]');
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it('are not recorded as making or removing files when they only change who can see them', () => {
    const before = everything();
    const user = new UnprivilegedUser(base, root);
    const unknown = /not recorded: the server could not read .* and 2 more/;
    const [closing, opening] = [CLOSE, `${OPEN}; touch made`].map((line) => user.run(`${line}; echo done`));
    for (const { stdout, stderr } of [closing!, opening!]) {
      expect(stdout + stderr).toContain('done');
      expect(stdout + stderr).toMatch(unknown);
    }
    expect(user.cofferdam('undo')).toMatchObject({ status: 0 });
    expect(everything()).toEqual(before);
  });
});
