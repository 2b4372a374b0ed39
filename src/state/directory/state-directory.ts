/** Where the journal and the trace are kept: a directory of the user's own, never inside a served one. */
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWithin } from '../../engine/confine/roots.ts';
import { makeDirectory } from './make-directory.ts';

/** What is wrong with the state directory, in words for the user. */
export class StateProblem extends Error {
  override readonly name: string = 'StateProblem';
}

/** The same error, in words when it comes from the state directory. */
export function asStateProblem(error: unknown, directory: string): unknown {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined || !/^E[A-Z0-9]+: /.test(message)) return error;
  if (path !== undefined && !isWithin(path, directory)) return error;
  const what = /^\w+: ([^,]+)/.exec(message)?.[1] ?? code;
  return new StateProblem(`the state directory ${directory} cannot be used: ${path ?? code}: ${what}`);
}

/** What is kept in it: none of this may lead elsewhere by a link. */
const PARTS = ['journal', 'store', 'aside', 'leaving', 'forgetting', 'trace'];

/** What is wrong with it, in one line; undefined when it can be used. It is made when it is missing. */
export function whyNotStateDirectory(directory: string, roots: readonly string[]): string | undefined {
  const real = realOf(resolve(directory));
  const linked = PARTS.map((name) => join(real, name))
    .filter(isLink)
    .map(realOf);
  for (const root of roots) {
    const served = realOf(resolve(root));
    if (isWithin(real, served)) return `${directory} is inside ${root}, where the tools could change it`;
    if (isWithin(served, real)) return `${directory} holds ${root}, where the tools could change it`;
    for (const part of linked) {
      if (isWithin(part, served)) return `${directory} leads into ${root}, where the tools could change it`;
    }
  }
  return whyNotUsable(directory);
}

function whyNotUsable(directory: string): string | undefined {
  try {
    makeDirectory(directory);
    fs.accessSync(directory, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    const stat = fs.statSync(directory);
    if (!stat.isDirectory()) return `${directory} is not a directory`;
    const uid = process.getuid?.();
    if (uid !== undefined && stat.uid !== uid) return `${directory} belongs to another user`;
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') return `${directory} is not a directory`;
    return `${directory} cannot be used (${code})`;
  }
}

function isLink(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

/** A path with all links resolved, as far as it exists. */
export function realOf(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realOf(above), path.slice(above.length));
  }
}
