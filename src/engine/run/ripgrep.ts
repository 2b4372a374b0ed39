/**
 * Asks ripgrep which files of a held directory may hold a match.
 *
 * It only names candidates: each is opened again through the wall, so a tree that changes under it can make
 * it read elsewhere, but nothing of that reaches an answer. It reads no configuration, follows no links and
 * gets an empty environment.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

/** Longer patterns do not fit into an argument on every system. */
const LONGEST_PATTERN = 30_000;
const VERSION_TIMEOUT_MS = 5000;
/**
 * Entries that may not be read (EPERM, EACCES) or have gone (ENOENT), one a line; anything else on stderr means
 * that ripgrep cannot be relied on: it opens whole paths, for one, and some are too long for that.
 */
const UNREADABLE = /^rg: (.*): [^:]* \(os error (?:1|2|13)\)$/;
/**
 * Files that begin with a byte-order mark are always candidates: ripgrep's idea of where their text begins is
 * not ours, so it is not asked to have one.
 */
const MARKED = '^(?-u:\\xff\\xfe|\\xfe\\xff|\\xef\\xbb\\xbf)';

export interface RipgrepState {
  path: string | undefined;
  /** One short sentence for `doctor` and `--explain`. */
  says: string;
}

let state: Promise<RipgrepState> | undefined;

/** Whether the optional package is there and its program runs; found out once. */
export function ripgrep(): Promise<RipgrepState> {
  state ??= look();
  return state;
}

/** The package keeps the program in a package of its own for each platform, beside itself. */
function packagedProgram(): string {
  const beside = createRequire(createRequire(import.meta.url).resolve('@vscode/ripgrep'));
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  return beside.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`);
}

async function look(): Promise<RipgrepState> {
  let path: string;
  try {
    path = packagedProgram();
  } catch {
    return { path: undefined, says: 'ripgrep is not installed' };
  }
  try {
    const options = { timeout: VERSION_TIMEOUT_MS, env: {} };
    const { stdout } = await promisify(execFile)(path, ['--no-config', '--version'], options);
    return { path, says: stdout.split('\n')[0]! };
  } catch {
    return { path: undefined, says: 'ripgrep is installed, but does not run' };
  }
}

/**
 * Relative paths, one character for each byte, of the files in `directory` (a handle's path) that have a line
 * which the pattern matches, and of what ripgrep could not read. Undefined when it cannot say.
 */
export async function candidateFiles(
  directory: string,
  pattern: string,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const { path } = await ripgrep();
  if (path === undefined || pattern.length > LONGEST_PATTERN || signal.aborted) return undefined;
  const child = spawn(path, ripgrepArguments(pattern), {
    cwd: directory,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    return await named(child);
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

export function ripgrepArguments(pattern: string): string[] {
  return [
    '--no-config',
    '--no-ignore',
    '--hidden',
    '--no-follow',
    '--no-mmap',
    // What is binary and what is not is decided elsewhere.
    '--text',
    '--encoding=none',
    '--color=never',
    '--files-with-matches',
    '--null',
    `--regexp=${pattern}`,
    `--regexp=${MARKED}`,
    './',
  ];
}

async function named(child: ChildProcess): Promise<string[] | undefined> {
  const [code, found, complaints] = await Promise.all([ended(child), all(child.stdout!), all(child.stderr!)]);
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

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
}

async function all(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch {
    // A killed child's pipe may break; its exit code tells.
  }
  return Buffer.concat(chunks).toString('latin1');
}
