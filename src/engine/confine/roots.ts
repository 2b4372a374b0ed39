/** The directories that the engine serves: opened at the start and held until the engine closes. */
import * as fs from 'node:fs';
import { dirname, parse, resolve, sep } from 'node:path';
import { fail } from '../failures.ts';
import type { Dir } from './directory/dir.ts';
import { attempt } from './errno.ts';
import type { DirectoryOpener } from './protection.ts';

export interface RootSpec {
  path: string;
  writable: boolean;
  /** Follows no links: the path had none when it was recorded, so a link in it now leads to another directory. */
  straight?: boolean;
}

export interface Root {
  /** The path as it was given, made absolute. Clients know the root by it. */
  readonly given: string;
  /** The path with all links resolved, as of the start. */
  readonly real: string;
  /** Every absolute path that is known to lead here without reading the disk. */
  readonly knownAs: readonly string[];
  /** Why nothing may be changed here; undefined where changes are allowed. */
  readonly readOnly: 'server' | 'directory' | undefined;
  readonly dir: Dir;
}

export function holdRoot(spec: RootSpec, opener: DirectoryOpener, serverReadOnly: boolean): Root {
  const given = resolve(spec.path);
  const readOnly = serverReadOnly ? 'server' : spec.writable ? undefined : 'directory';
  if (spec.straight) {
    const dir = attempt(spec.path, 'open', () => holdStraight(given, opener));
    return { given, real: given, knownAs: [given], readOnly, dir };
  }
  const real = attempt(spec.path, 'open', () => fs.realpathSync.native(given));
  if (!fs.statSync(real).isDirectory()) fail({ kind: 'not-a-directory', path: spec.path });
  attempt(spec.path, 'read', () => fs.accessSync(real, fs.constants.R_OK | fs.constants.X_OK));
  const dir = attempt(spec.path, 'open', () => opener.hold(real));
  return { given, real, knownAs: [given, real], readOnly, dir };
}

/** Enters one name at a time, so that a link cannot lead elsewhere, whenever somebody puts it there. */
function holdStraight(path: string, opener: DirectoryOpener): Dir {
  const { root } = parse(path);
  let dir = opener.hold(root);
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

/** A directory inside a root that becomes a root of its own. */
export interface InnerSpec {
  outer: Root;
  /** The new root owns and closes it. */
  dir: Dir;
  /** Absolute, with all links resolved. */
  real: string;
  /** The path as it was sent: absolute, or relative to the first root. */
  sent: string;
  first: Root;
}

/** Turns a directory inside a root into a root of its own, which is read-only if the outer one is. */
export function innerRoot({ outer, dir, real, sent, first }: InnerSpec): Root {
  const below = outer.real === '/' ? real : real.slice(outer.real.length);
  const given = below === '' ? outer.given : `${outer.given === '/' ? '' : outer.given}${below}`;
  // After a link, `..` may lead elsewhere than the text suggests, so such a path does not name this directory.
  const names = sent.split(/[\\/]/).includes('..') ? [] : [resolve(first.given, sent)];
  return { given, real, knownAs: [given, real, ...names], readOnly: outer.readOnly, dir };
}

/** An existing root inside a new one. It keeps its own rule, and only a walk through the new root reaches it. */
export function rootInside(root: Root): Root {
  return { ...root, knownAs: [], dir: root.dir.duplicate() };
}

/** Whether `path` is `ancestor` or is below it, by components: `/work` is not an ancestor of `/workshop`. */
export function isWithin(path: string, ancestor: string): boolean {
  if (path === ancestor || ancestor === '/') return true;
  return path.startsWith(ancestor.endsWith('/') ? ancestor : `${ancestor}/`);
}

/** Whether `path` is below `ancestor`, and not the same. */
export function isBelow(path: string, ancestor: string): boolean {
  return path !== ancestor && isWithin(path, ancestor);
}

/** The nearest place around `path`, which may be at `path` itself. */
export function innermostAround<P extends { path: string }>(
  path: string,
  places: readonly P[],
): P | undefined {
  const around = places.filter((place) => isWithin(path, place.path));
  return around.sort((a, b) => b.path.length - a.path.length)[0];
}

/** Whether `path` is one of `ancestors` or is below one of them. */
export function isWithinAny(path: string, ancestors: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (ancestors.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}
