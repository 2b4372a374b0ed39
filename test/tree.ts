/** Lays out directories for tests from a description, and reads them back into one. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A string is the text of a file, and anything else says what it is. A path that ends in `/` is a directory. */
export type Described =
  | string
  | { base64: string }
  | { text: string; mode: string }
  | { link: string }
  | { fifo: true }
  | { repeat: string; times: number };

export type Tree = Record<string, Described>;

export function temporaryDirectory(under = tmpdir()): { path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(under, 'cofferdam-test.')));
  return { path, remove: () => removeTree(path) };
}

/**
 * A temporary directory in memory, if the system has room for that: for thousands of files, and for tests that would
 * wait for the disk at each step but are not about it. Not for commands in a sandbox, which have a /dev of their own.
 */
export function memoryDirectory(): { path: string; remove(): void } {
  return temporaryDirectory(process.env.COFFERDAM_TESTS_MEMORY);
}

/**
 * Uses `rm`, which removes a tree of any depth. Node 20 gives up where a path is too long for one system call. A test
 * may also have removed the write permission of a directory, which stops every user but root.
 */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    execFileSync('chmod', ['-R', 'u+rwX', path]);
    execFileSync('rm', ['-rf', path]);
  }
}

export function layOut(root: string, tree: Tree): void {
  for (const [path, described] of Object.entries(tree)) {
    const full = join(root, path);
    if (path.endsWith('/')) {
      mkdirSync(full, { recursive: true });
      continue;
    }
    mkdirSync(dirname(full), { recursive: true });
    if (typeof described === 'string') writeFileSync(full, described);
    else if ('base64' in described) writeFileSync(full, Buffer.from(described.base64, 'base64'));
    else if ('link' in described) symlinkSync(described.link.replaceAll('{ROOT}', root), full);
    else if ('fifo' in described) execFileSync('mkfifo', [full]);
    else if ('repeat' in described) writeFileSync(full, described.repeat.repeat(described.times));
    else {
      writeFileSync(full, described.text);
      chmodSync(full, Number.parseInt(described.mode, 8));
    }
  }
}

/** The tree on disk: text as text, other bytes as base64, links as links. Empty directories end in `/`. */
export function readBack(root: string, at = ''): Tree {
  const tree: Tree = {};
  const names = readdirSync(join(root, at)).sort();
  if (names.length === 0 && at !== '') tree[`${at}/`] = '';
  for (const name of names) {
    const path = at === '' ? name : `${at}/${name}`;
    const full = join(root, path);
    const stat = lstatSync(full);
    if (stat.isDirectory()) Object.assign(tree, readBack(root, path));
    else if (stat.isSymbolicLink()) tree[path] = { link: readlinkSync(full).replaceAll(root, '{ROOT}') };
    else if (stat.isFIFO()) tree[path] = { fifo: true };
    else tree[path] = describeBytes(readFileSync(full));
  }
  return tree;
}

function describeBytes(bytes: Buffer): Described {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : { base64: bytes.toString('base64') };
}
