/**
 * The files of this package that run late: worker sources, the tables of encodings and the ripgrep program.
 *
 * The package may lie inside a served directory. A client that could change these files there could run code in the
 * server, outside every sandbox. So they are read, or their state is noted, before the first change, search or
 * command; what stands on the disk later is not run.
 */
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { bundleDir } from '../../../bundle-directory.ts';
import { isWithin } from '../roots.ts';

const WORKERS = ['text-worker.cjs', 'search-worker.cjs'] as const;
export type WorkerName = (typeof WORKERS)[number];

const CONVERTER = 'charsets.cjs';
const MANIFEST = 'package.json';

export interface OwnPackage {
  /** Every directory that holds something the server runs, with all links resolved. */
  readonly directories: readonly string[];
  /** Single files beside what others may change. */
  readonly files: readonly string[];
  /** Links by which the program was started, as npm makes them: to replace one is to choose what starts next. */
  readonly links: readonly OwnLink[];
  readonly workers: ReadonlyMap<WorkerName, string>;
  /** The source of the tables of encodings, in memory that threads share. */
  readonly converter: SharedArrayBuffer;
  readonly ripgrep: OwnProgram | undefined;
}

export interface OwnLink {
  /** Absolute; the directory is without links. */
  path: string;
  target: string;
}

export interface OwnProgram {
  path: string;
  /** How the file looked when it was noted. */
  state: string;
}

let noted: OwnPackage | undefined;
let program: string | undefined;

/** Takes the file that Node was started with, so that the links on the way to it are protected too. Call it first. */
export function noteProgram(path: string): void {
  program = path;
}

/** Notes everything at the first call; later calls give the same. */
export function ownPackage(): OwnPackage {
  noted ??= noteOwnPackage();
  return noted;
}

export function workerSource(name: WorkerName): string {
  return ownPackage().workers.get(name) ?? '';
}

/** What a thread gets at its start, should it need the tables of encodings. */
export function converterMemory(): SharedArrayBuffer {
  return ownPackage().converter;
}

export function converterSource(): string {
  return Buffer.from(converterMemory()).toString('utf8');
}

/** Changes with every write to the file, also with one in place that puts the times back. */
export function fileState(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  return [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':');
}

function noteOwnPackage(): OwnPackage {
  const bundles = realOf(bundleDir);
  const home = packageAround(bundles);
  const ripgrep = findRipgrep();
  const directories = new Set([bundles, ...(ripgrep?.directories ?? [])]);
  // A clone is somebody's sources as well: of that, only what runs is protected.
  if (home !== undefined && isInstalled(home)) directories.add(home);
  const manifest = home === undefined ? [] : [join(home, MANIFEST)];
  return {
    directories: [...directories],
    // Whoever replaces Node itself, which may be installed in a home, chooses what runs at the next start.
    files: [...manifest, realOf(process.execPath)],
    links: linksOnTheWayTo(bundles, program),
    workers: new Map(WORKERS.map((name) => [name, sourceOf(join(bundles, name))])),
    converter: shared(Buffer.from(sourceOf(join(bundles, CONVERTER)))),
    ripgrep: ripgrep?.program,
  };
}

/** More links than this in one path are not followed by any system. */
const MOST_LINKS = 40;

/** The links in a path that leads into `directory`; none when it leads elsewhere. */
function linksOnTheWayTo(directory: string, path: string | undefined): OwnLink[] {
  if (path === undefined || !isWithin(realOf(resolve(path)), directory)) return [];
  const links: OwnLink[] = [];
  const names = resolve(path).split('/').filter(Boolean);
  let at = '/';
  for (let name = names.shift(); name !== undefined && links.length < MOST_LINKS; name = names.shift()) {
    const here = join(at, name);
    if (!lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink()) {
      at = here;
      continue;
    }
    const target = readlinkSync(here);
    links.push({ path: here, target });
    names.unshift(...target.split('/').filter((each) => each !== '' && each !== '.'));
    if (target.startsWith('/')) at = '/';
  }
  return links;
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

interface FoundRipgrep {
  directories: string[];
  program: OwnProgram | undefined;
}

/** The package keeps the program in a package of its own for each platform, beside itself. */
function findRipgrep(): FoundRipgrep | undefined {
  let main: string;
  try {
    main = createRequire(import.meta.url).resolve('@vscode/ripgrep');
  } catch {
    return undefined;
  }
  const directories = [packageAround(dirname(realOf(main))) ?? dirname(realOf(main))];
  try {
    const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
    const platform = `@vscode/ripgrep-${process.platform}-${process.arch}`;
    const path = realOf(createRequire(main).resolve(`${platform}/bin/${name}`));
    const state = fileState(path);
    directories.push(packageAround(dirname(path)) ?? dirname(path));
    return { directories, program: state === undefined ? undefined : { path, state } };
  } catch {
    return { directories, program: undefined };
  }
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
