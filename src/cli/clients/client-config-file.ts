/** Reads and replaces a client's file: whole or not at all, with the same mode, and with a backup beside it. */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../usage-error.ts';

const BOM = '\uFEFF';

export interface ClientConfigFile {
  /** The path with all links resolved. */
  path: string;
  exists: boolean;
  /** The content, without the byte-order mark. */
  text: string;
  hasBom: boolean;
}

export function readConfigFile(named: string): ClientConfigFile {
  const path = targetOf(named);
  const bytes = bytesOf(path);
  if (bytes === undefined) return { path, exists: false, text: '', hasBom: false };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${named} is not UTF-8 text: nothing was changed`);
  }
  const hasBom = text.startsWith(BOM);
  return { path, exists: true, text: hasBom ? text.slice(1) : text, hasBom };
}

/** Follows links: people who keep their settings in a repository link to them. */
function targetOf(named: string): string {
  try {
    return realpathSync(named);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw explained(named, error);
  }
  if (lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UsageError(`${named} is a link to a file that does not exist: nothing was changed`);
  return named;
}

function bytesOf(path: string): Buffer | undefined {
  try {
    if (!statSync(path).isFile()) throw new UsageError(`${path} is not a file`);
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw explained(path, error);
  }
}

function explained(path: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  return error instanceof UsageError
    ? error
    : new UsageError(`${path}: ${code ?? message}; nothing was changed`);
}

/** The path of the backup: the bytes as they were before the last change. */
export function backupOf({ path }: ClientConfigFile): string {
  return `${path}.before-cofferdam`;
}

export function readBackup(file: ClientConfigFile): string | undefined {
  return bytesOf(backupOf(file))
    ?.toString('utf8')
    .replace(/^\uFEFF/, '');
}

/** `newMode` is the mode of a file that does not exist yet. */
export function writeConfigFile(
  file: ClientConfigFile,
  text: string,
  newMode: number,
  keepBackup: boolean,
): void {
  const { path, exists, hasBom } = file;
  try {
    if (!exists) mkdirSync(dirname(path), { recursive: true });
    const mode = exists ? statSync(path).mode & 0o7777 : undefined;
    const whole = (part: string) => (hasBom ? BOM : '') + part;
    if (exists && !keepBackup) replace(backupOf(file), whole(file.text), mode, newMode);
    requireUnchanged(file);
    replace(path, whole(text), mode, newMode);
  } catch (error) {
    throw explained(path, error);
  }
}

/** Removes a file that `init` made, or a backup that says nothing new. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

/** Fails when another program changed the file after it was read. */
function requireUnchanged({ path, exists, text, hasBom }: ClientConfigFile): void {
  const now = bytesOf(path)?.toString('utf8');
  if (now !== (exists ? (hasBom ? BOM : '') + text : undefined))
    throw new UsageError(`${path} was changed by another program just now: nothing was changed, try again`);
}

function replace(path: string, text: string, mode: number | undefined, newMode: number): void {
  const draft = `${path}.${process.pid}.draft`;
  const descriptor = openSync(draft, 'wx', mode ?? newMode);
  try {
    writeFileSync(descriptor, text);
    if (mode !== undefined) fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, path);
}
