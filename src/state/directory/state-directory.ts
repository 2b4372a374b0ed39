/** Checks the state directory, which holds the journal and the trace: it belongs to the user and is never served. */
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { isWithin } from '../../engine/confine/roots.ts';
import { realOf } from '../../real-path.ts';
import { makeDirectory } from './make-directory.ts';

/** Tells the user what is wrong with the state directory. */
export class StateProblem extends Error {
  override readonly name: string = 'StateProblem';
}

/** Turns a system error about the state directory into a `StateProblem`; returns every other error unchanged. */
export function asStateProblem(error: unknown, directory: string): unknown {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined || !/^E[A-Z0-9]+: /.test(message)) return error;
  if (path !== undefined && !isWithin(path, directory)) return error;
  const what = /^\w+: ([^,]+)/.exec(message)?.[1] ?? code;
  return new StateProblem(`the state directory ${directory} cannot be used: ${path ?? code}: ${what}`);
}

/** The folders of a state directory: none of them may be a link that leads into a served directory. */
const PARTS = ['journal', 'store', 'aside', 'leaving', 'forgetting', 'trace'];

/** Why a directory cannot hold the state, in one line; undefined when it can. Creates it when it is missing. */
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
