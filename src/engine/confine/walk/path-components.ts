/** Takes the text of a path apart, without reading the disk. */
import { fail } from '../../failures.ts';

const MAX_NAME_BYTES = 255;
/** No system follows more links than this in one path. */
export const MOST_LINKS = 40;

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || (process.platform === 'win32' && /^[A-Za-z]:[\\/]/.test(path));
}

export function components(path: string): string[] {
  const parts = process.platform === 'win32' ? path.split(/[\\/]/) : path.split('/');
  return parts.filter((part) => part !== '' && part !== '.');
}

/** Whether names would lead above the root if all of them existed. `level`: how far below the root they start. */
export function climbsOut(names: readonly string[], level: number): boolean {
  let at = level;
  return names.some((name) => {
    at += name === '..' ? -1 : 1;
    return at < 0;
  });
}

/** `shown`: the path that the name comes from, as it was sent. */
export function requireShortName(name: string, shown: string): void {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    fail({ kind: 'bad-path', path: shown, why: 'name-too-long' });
  }
}
