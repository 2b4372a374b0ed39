/** The directories that were given: opened once at the start and held for as long as the engine lives. */
import * as fs from 'node:fs';
import { dirname, parse, resolve, sep } from 'node:path';
import { fail } from '../failures.ts';
import type { Dir } from './directory/dir.ts';
import { attempt } from './errno.ts';
import type { Keeper } from './protection.ts';

export interface RootSpec {
  path: string;
  writable: boolean;
  /** No link is followed on the way: the path had none, and where it has one now it is another directory. */
  straight?: boolean;
}

export interface Root {
  /** As it was given, made absolute: what clients know it by. */
  readonly given: string;
  /** With all links resolved, at the time of the start. */
  readonly real: string;
  /** Every absolute path that is known to lead here without reading the disk. */
  readonly knownAs: readonly string[];
  /** Why nothing may be changed here; undefined where changes are allowed. */
  readonly readOnly: 'server' | 'directory' | undefined;
  readonly dir: Dir;
}

export function holdRoot(spec: RootSpec, keeper: Keeper, serverReadOnly: boolean): Root {
  const given = resolve(spec.path);
  const readOnly = serverReadOnly ? 'server' : spec.writable ? undefined : 'directory';
  if (spec.straight) {
    const dir = attempt(spec.path, 'open', () => holdStraight(given, keeper));
    return { given, real: given, knownAs: [given], readOnly, dir };
  }
  const real = attempt(spec.path, 'open', () => fs.realpathSync.native(given));
  if (!fs.statSync(real).isDirectory()) fail({ kind: 'not-a-directory', path: spec.path });
  attempt(spec.path, 'read', () => fs.accessSync(real, fs.constants.R_OK | fs.constants.X_OK));
  const dir = attempt(spec.path, 'open', () => keeper.hold(real));
  return { given, real, knownAs: [given, real], readOnly, dir };
}

/** One name at a time, so that no link that is put there at any moment leads elsewhere. */
function holdStraight(path: string, keeper: Keeper): Dir {
  const { root } = parse(path);
  let dir = keeper.hold(root);
  for (const name of path.slice(root.length).split(sep).filter(Boolean)) {
    const outer = dir;
    try {
      const inner = outer.enter(name);
      if (inner === 'missing') fail({ kind: 'not-found', path, wanted: 'directory', near: [] });
      if (inner === 'not-a-directory' || 'linkTarget' in inner) fail({ kind: 'not-a-directory', path });
      dir = inner;
    } finally {
      outer.close();
    }
  }
  return dir;
}

/** Where inside which root a directory lies that becomes a root of its own. */
export interface InnerSpec {
  outer: Root;
  /** Held by the new root from now on. */
  dir: Dir;
  /** Absolute, with all links resolved. */
  real: string;
  /** As it was sent: absolute, or from the first root. */
  sent: string;
  first: Root;
}

/** A directory inside a root as a root of its own, under the rule of where it lies. */
export function innerRoot({ outer, dir, real, sent, first }: InnerSpec): Root {
  const below = outer.real === '/' ? real : real.slice(outer.real.length);
  const given = below === '' ? outer.given : `${outer.given === '/' ? '' : outer.given}${below}`;
  // With `..` behind a link a path may read as if it led elsewhere: then it is no name for this directory.
  const names = sent.split(/[\\/]/).includes('..') ? [] : [resolve(first.given, sent)];
  return { given, real, knownAs: [given, real, ...names], readOnly: outer.readOnly, dir };
}

/** A root that lies inside a new one: reached by walking there, and still under its own rule. */
export function rootInside(root: Root): Root {
  return { ...root, knownAs: [], dir: root.dir.again() };
}

/** Whether `path` is `ancestor` or lies below it, by components: `/work` is no ancestor of `/workshop`. */
export function isWithin(path: string, ancestor: string): boolean {
  if (path === ancestor || ancestor === '/') return true;
  return path.startsWith(ancestor.endsWith('/') ? ancestor : `${ancestor}/`);
}

/** The same of any of many directories. */
export function isWithinAny(path: string, ancestors: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (ancestors.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}
