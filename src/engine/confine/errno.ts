/** Turns the system's error codes into the engine's failures, in this one place. */
import { EngineFailure, type Failure } from '../failures.ts';
import { NotRegular } from './directory/dir.ts';

/** Rethrows an error as a failure about `path`; an error that is a failure already passes unchanged. */
export function failFrom(error: unknown, path: string, action: string): never {
  if (error instanceof EngineFailure) throw error;
  throw new EngineFailure(factsOf(error, path, action), error);
}

function factsOf(error: unknown, path: string, action: string): Failure {
  if (error instanceof NotRegular) {
    if (error.type === 'symlink') return { kind: 'unstable', path };
    return { kind: 'not-a-file', path, found: error.type };
  }
  const code = (error as NodeJS.ErrnoException).code ?? '';
  switch (code) {
    case 'ENOENT':
      return { kind: 'not-found', path, wanted: 'entry', near: [] };
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return { kind: 'permission', path, action };
    case 'EISDIR':
      return { kind: 'not-a-file', path, found: 'directory' };
    case 'ENOTDIR':
      return { kind: 'not-a-directory', path };
    case 'EEXIST':
      return { kind: 'exists', path, found: 'file' };
    case 'ENOTEMPTY':
      return { kind: 'directory-not-empty', path };
    case 'ENAMETOOLONG':
      return { kind: 'bad-path', path, why: 'name-too-long' };
    case 'ELOOP':
      return { kind: 'bad-path', path, why: 'link-loop' };
    case 'EAGAIN':
      return { kind: 'unstable', path };
    case '':
      throw error;
    default:
      return { kind: 'io', path, action, code };
  }
}

/** Runs an operation on `path` and turns its errors into failures. */
export function attempt<T>(path: string, action: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    failFrom(error, path, action);
  }
}

export async function attemptAsync<T>(path: string, action: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    failFrom(error, path, action);
  }
}

const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** Whether the system ran out of descriptors or memory, which says nothing about the entry itself. */
export function isShortage(error: unknown): boolean {
  return SHORTAGES.has((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/**
 * Whether the system refused a hard link for a reason that still allows a rename: the file has another owner, or the
 * file system has no hard links.
 */
export function isLinkRefused(error: unknown): boolean {
  return NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '');
}
