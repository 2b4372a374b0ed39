/**
 * Runs ripgrep to find out which files of a held directory may contain a match.
 *
 * ripgrep only names candidates, and a search opens each of them again through the wall. So a tree that changes
 * meanwhile can make ripgrep read elsewhere, but nothing from there reaches an answer. It reads no configuration,
 * follows no links and gets an empty environment.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeOrphanedDirectories } from '../../confine/content/orphaned-directories.ts';
import { serverId } from '../../confine/content/server-identity.ts';
import { fileState, type OwnProgram, ownPackage } from '../../confine/protect/own-package.ts';

/** Longer patterns do not fit into an argument on every system. */
const LONGEST_PATTERN = 30_000;
const VERSION_TIMEOUT_MS = 5000;
/**
 * Matches a line of stderr about an entry that may not be read (EPERM, EACCES) or is gone (ENOENT). Any other line
 * means that the result may be incomplete: for example, ripgrep opens whole paths, and some are too long for that.
 */
const UNREADABLE = /^rg: (.*): [^:]* \(os error (?:1|2|13)\)$/;
/**
 * Makes every file that begins with a byte-order mark a candidate: ripgrep does not agree with us on where the text of
 * such a file begins.
 */
const MARKED = '^(?-u:\\xff\\xfe|\\xfe\\xff|\\xef\\xbb\\xbf)';
/** Matches any byte that is not ASCII, and NUL: every text in another encoding than UTF-8 has one. */
const NOT_ASCII = '(?-u:[\\x00\\x80-\\xff])';

export interface RipgrepState {
  /** The program to start; undefined if there is none. */
  path: string | undefined;
  /** Where the program is installed. */
  installed?: string;
  /** One short sentence for `doctor` and `--explain`. */
  says: string;
}

let state: Promise<RipgrepState> | undefined;

/** Whether the optional package is installed and its program runs. This is checked only once. */
export function ripgrep(): Promise<RipgrepState> {
  state ??= findRipgrep();
  return state;
}

async function findRipgrep(): Promise<RipgrepState> {
  const own = ownPackage().ripgrep;
  if (own === undefined) return { path: undefined, says: 'ripgrep is not installed' };
  const installed = own.path;
  let version: string | undefined;
  const copy = copyProgram(own);
  if (copy !== undefined) {
    version = await versionOf(copy);
    if (version !== undefined) return { path: copy, installed, says: version };
  }
  if (!isUnchanged(own)) return { path: undefined, says: 'ripgrep has changed since the server started' };
  version = await versionOf(installed);
  if (version === undefined) return { path: undefined, says: 'ripgrep is installed, but does not run' };
  return { path: installed, installed, says: version };
}

async function versionOf(program: string): Promise<string | undefined> {
  try {
    const options = { timeout: VERSION_TIMEOUT_MS, killSignal: 'SIGKILL', env: {} } as const;
    const { stdout } = await promisify(execFile)(program, ['--no-config', '--version'], options);
    return stdout.split('\n')[0]!;
  } catch {
    return undefined;
  }
}

function isUnchanged({ path, state: noted }: OwnProgram): boolean {
  return fileState(path) === noted;
}

/** The prefix of the temporary directory in which a copy is made. */
const COPY_PREFIX = 'cofferdam-rg-';

/**
 * Copies the program to a file without a name, which only this process can start: a command may be able to write to the
 * package's directory. Undefined if the system has no such files, or the program changed since the server started.
 */
function copyProgram(own: OwnProgram): string | undefined {
  if (process.platform !== 'linux') return undefined;
  let directory: string | undefined;
  try {
    removeOrphanedDirectories(tmpdir(), COPY_PREFIX);
    directory = mkdtempSync(join(tmpdir(), `${COPY_PREFIX}${serverId()}-`));
    const copy = join(directory, 'rg');
    copyFileSync(own.path, copy);
    if (!isUnchanged(own)) return undefined;
    chmodSync(copy, 0o500);
    // The descriptor stays open for as long as the process lives.
    return `/proc/self/fd/${openSync(copy, 'r')}`;
  } catch {
    return undefined;
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Relative paths, one character for each byte, of the files in `directory` (a handle's path) that have a line which the
 * pattern matches, and of the entries that ripgrep could not read. Undefined if ripgrep cannot tell.
 */
export async function candidateFiles(
  directory: string,
  pattern: string,
  { isAnyEncoding, signal }: { isAnyEncoding: boolean; signal: AbortSignal },
): Promise<string[] | undefined> {
  const { path, installed } = await ripgrep();
  const own = ownPackage().ripgrep;
  if (own === undefined || (path === installed && !isUnchanged(own))) return undefined;
  if (path === undefined || pattern.length > LONGEST_PATTERN || signal.aborted) return undefined;
  const child = spawn(path, ripgrepArguments(pattern, isAnyEncoding), {
    cwd: directory,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    return await namedFiles(child);
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

/** `isAnyEncoding` says that files may be in encodings that ripgrep does not know of. */
function ripgrepArguments(pattern: string, isAnyEncoding: boolean): string[] {
  return [
    '--no-config',
    '--no-ignore',
    '--hidden',
    '--no-follow',
    '--no-mmap',
    // The search threads decide which files are binary.
    '--text',
    '--encoding=none',
    '--color=never',
    '--files-with-matches',
    '--null',
    `--regexp=${pattern}`,
    `--regexp=${MARKED}`,
    ...(isAnyEncoding ? [`--regexp=${NOT_ASCII}`] : []),
    './',
  ];
}

async function namedFiles(child: ChildProcess): Promise<string[] | undefined> {
  const [code, found, complaints] = await Promise.all([
    exitCodeOf(child),
    readAll(child.stdout!),
    readAll(child.stderr!),
  ]);
  if (code === null || code > 2) return undefined;
  const unreadable: string[] = [];
  for (const line of complaints.split('\n')) {
    if (line === '') continue;
    const path = UNREADABLE.exec(line)?.[1];
    if (path === undefined) return undefined;
    unreadable.push(path);
  }
  return [...found.split('\0'), ...unreadable]
    .map((path) => path.replace(/^\.\//, ''))
    .filter((path) => path !== '');
}

function exitCodeOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch {
    // The pipe of a killed child may break; its exit code shows that it was killed.
  }
  return Buffer.concat(chunks).toString('latin1');
}
