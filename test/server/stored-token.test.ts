/** The token in the state directory: made once, private, and refused when others may know it. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { storedToken } from '../../src/server/web/tokens/stored-token.ts';
import { temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
let file: string;
beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory.path, 'token');
});
afterEach(() => directory.remove());

const keep = (replace = false) => storedToken(directory.path, { replace });

it('is made once and then used again; only a replacement makes another', () => {
  const first = keep();
  expect(first).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), file, isNew: true });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toBe(`${first.token}\n`);
  expect(keep()).toEqual({ token: first.token, file, isNew: false });
  const second = keep(true);
  expect(second.isNew).toBe(true);
  expect(second.token).not.toBe(first.token);
  expect(keep().token).toBe(second.token);
  expect(readdirSync(directory.path)).toEqual(['token']);
});

it('is private whatever the umask is', () => {
  const before = process.umask(0);
  try {
    keep();
  } finally {
    process.umask(before);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

const secret = 'a-token-that-somebody-else-may-know';

it.each([
  ['a file that the group can read', () => layOpen(0o640), 'mode 0640'],
  ['a file that everybody can read', () => layOpen(0o604), 'mode 0604'],
  ['a file that others can write', () => layOpen(0o602), 'mode 0602'],
  ['a link to a good file', () => linkTo(secret), 'it is a link'],
  ['a dangling link', () => symlinkSync('nowhere', file), 'it is a link'],
  ['a directory', () => mkdirSync(file), 'it is not a file'],
  ['a FIFO', () => execFileSync('mkfifo', ['-m', '600', file]), 'it is not a file'],
  ['an empty file', () => writeFileSync(file, '\n', { mode: 0o600 }), 'is empty'],
  ['two lines', () => writeFileSync(file, 'one\ntwo\n', { mode: 0o600 }), 'cannot be sent'],
  ['a large file', () => writeFileSync(file, 'x'.repeat(5000), { mode: 0o600 }), 'too large'],
])('refuses %s, and says that --new-token makes another', (_, lay, says) => {
  lay();
  expect(() => keep()).toThrow(says);
  expect(() => keep()).toThrow('--new-token makes another');
  expect(() => keep()).not.toThrow(secret);
});

function layOpen(mode: number): void {
  writeFileSync(file, secret);
  chmodSync(file, mode);
}

function linkTo(content: string): void {
  const other = join(directory.path, 'other');
  writeFileSync(other, content, { mode: 0o600 });
  symlinkSync(other, file);
}

it('replaces a link and leaves its target alone', () => {
  linkTo(secret);
  const { token } = keep(true);
  expect(readFileSync(join(directory.path, 'other'), 'utf8')).toBe(secret);
  expect(keep().token).toBe(token);
});

it.skipIf(process.getuid?.() !== 0)('refuses the file of another user (only root can make one)', () => {
  writeFileSync(file, secret, { mode: 0o600 });
  chownSync(file, 1234, 1234);
  expect(() => keep()).toThrow('it belongs to another user');
});

it('lasts for one run if it cannot be stored, and the server says why', () => {
  mkdirSync(file);
  expect(keep(true)).toMatchObject({
    file: undefined,
    isNew: true,
    problem: expect.stringContaining('token cannot be written'),
  });
});
