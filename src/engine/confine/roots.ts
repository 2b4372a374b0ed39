/** The directories that were given: opened once at the start and held for as long as the engine lives. */
import * as fs from 'node:fs';
import { resolve } from 'node:path';
import { fail } from '../failures.ts';
import type { Dir } from './dir.ts';
import { attempt } from './errno.ts';
import type { Keeper } from './protection.ts';

export interface RootSpec {
  path: string;
  writable: boolean;
}

export interface Root {
  /** As it was given, made absolute: what clients know it by. */
  readonly given: string;
  /** With all links resolved, at the time of the start. */
  readonly real: string;
  /** Why nothing may be changed here; undefined where changes are allowed. */
  readonly readOnly: 'server' | 'directory' | undefined;
  readonly dir: Dir;
}

export function holdRoot(spec: RootSpec, keeper: Keeper, serverReadOnly: boolean): Root {
  const given = resolve(spec.path);
  const real = attempt(spec.path, 'open', () => fs.realpathSync.native(given));
  if (!fs.statSync(real).isDirectory()) fail({ kind: 'not-a-directory', path: spec.path });
  attempt(spec.path, 'read', () => fs.accessSync(real, fs.constants.R_OK | fs.constants.X_OK));
  const readOnly = serverReadOnly ? 'server' : spec.writable ? undefined : 'directory';
  return { given, real, readOnly, dir: attempt(spec.path, 'open', () => keeper.hold(real)) };
}

/** Whether `path` is `ancestor` or lies below it, by components: `/work` is no ancestor of `/workshop`. */
export function isWithin(path: string, ancestor: string): boolean {
  if (path === ancestor || ancestor === '/') return true;
  return path.startsWith(ancestor.endsWith('/') ? ancestor : `${ancestor}/`);
}
