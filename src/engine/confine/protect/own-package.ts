/**
 * The files of this package that run late: worker sources, the tables of encodings and the ripgrep program.
 *
 * The package may be inside a served directory. A client that could change these files there could run code in the
 * server, outside every sandbox. So the server reads them, or notes their state, before the first change, search or
 * command, and never runs what is on the disk later.
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { bundleDir } from '../../../bundle-directory.ts';
import { realOf } from '../../../real-path.ts';
import { isWithin } from '../roots.ts';
import { components } from '../walk/path-components.ts';
import { followPath, type OwnLink } from './followed-path.ts';
import { findRipgrep } from './own-ripgrep.ts';

const WORKERS = ['text-worker.cjs', 'search-worker.cjs'] as const;
export type WorkerName = (typeof WORKERS)[number];

const CONVERTER = 'charsets.cjs';
const MANIFEST = 'package.json';

export interface OwnPackage {
  /** Every directory that holds something the server runs, with all links resolved. */
  readonly directories: readonly string[];
  /** Single files in directories that clients may otherwise change. */
  readonly files: readonly string[];
  /**
   * Links through which the program was started and finds ripgrep, as npm and pnpm make them: a client that could
   * replace one would choose what starts next.
   */
  readonly links: readonly OwnLink[];
  /** Places where the next start would look for ripgrep first: nothing may appear there. */
  readonly missing: readonly string[];
  readonly workers: ReadonlyMap<WorkerName, string>;
  /** The source of the tables of encodings, in memory that threads share. */
  readonly converter: SharedArrayBuffer;
  readonly ripgrep: OwnProgram | undefined;
}

export interface OwnProgram {
  path: string;
  /** The `fileState` of the file when it was noted. */
  state: string;
}

let noted: OwnPackage | undefined;
let program: string | undefined;

/** Sets the file that Node was started with, so that the links on the way to it are protected too. Call this first. */
export function noteProgram(path: string): void {
  program = path;
}

/** Notes everything at the first call; later calls return the same. */
export function ownPackage(): OwnPackage {
  noted ??= noteOwnPackage();
  return noted;
}

export function workerSource(name: WorkerName): string {
  return ownPackage().workers.get(name) ?? '';
}

/** What a thread gets at its start, in case it needs the tables of encodings. */
export function converterMemory(): SharedArrayBuffer {
  return ownPackage().converter;
}

export function converterSource(): string {
  return Buffer.from(converterMemory()).toString('utf8');
}

/** Changes with every write to the file, even a write in place that restores the times. */
export function fileState(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  return [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':');
}

function noteOwnPackage(): OwnPackage {
  const bundles = realOf(bundleDir);
  const home = packageAround(bundles);
  const ripgrep = findRipgrep(bundles);
  const directories = new Set([bundles, ...ripgrep.directories]);
  // A clone also holds sources that people edit: there, only what runs is protected.
  if (home !== undefined && isInstalled(home)) directories.add(home);
  const manifest = home === undefined ? [] : [join(home, MANIFEST)];
  return {
    directories: [...directories],
    // A client that could replace Node itself, which may be installed in a home directory, would choose what runs at
    // the next start.
    files: [...manifest, ...ripgrep.files, realOf(process.execPath)],
    links: [...linksTo(bundles, program), ...ripgrep.links],
    missing: ripgrep.missing,
    workers: new Map(WORKERS.map((name) => [name, sourceOf(join(bundles, name))])),
    converter: shared(Buffer.from(sourceOf(join(bundles, CONVERTER)))),
    ripgrep: noteState(ripgrep.program),
  };
}

/** The links in a path that leads into `directory`; none when it leads elsewhere. */
function linksTo(directory: string, path: string | undefined): OwnLink[] {
  if (path === undefined || !isWithin(realOf(resolve(path)), directory)) return [];
  return followPath('/', components(resolve(path))).links;
}

function noteState(path: string | undefined): OwnProgram | undefined {
  const state = path === undefined ? undefined : fileState(path);
  return path === undefined || state === undefined ? undefined : { path, state };
}

function sourceOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const message = JSON.stringify(`${file} is missing: install the package again`);
    return `throw new Error(${message});`;
  }
}

function shared(bytes: Buffer): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes.length);
  bytes.copy(Buffer.from(memory));
  return memory;
}

function packageAround(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, MANIFEST))) return at;
    if (dirname(at) === at) return undefined;
  }
}

function isInstalled(home: string): boolean {
  return basename(dirname(home)) === 'node_modules';
}
