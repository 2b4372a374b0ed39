/** Parses the directories of the command line: `DIR`, `DIR:ro`, and `DIR=NAME` in a fleet. */
import type { RootSpec } from '../../engine/index.ts';
import { UsageError } from '../usage-error.ts';

export interface RootArgument extends RootSpec {
  /** The name that all replicas of a fleet have for it. */
  name?: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function toRoot(text: string): RootArgument {
  if (text === '' || text === ':ro') throw new UsageError('a directory name is empty');
  return text.endsWith(':ro') ? { path: text.slice(0, -3), writable: false } : { path: text, writable: true };
}

/** Parses `DIR=NAME`, or `DIR==NAME` if the path itself contains a `=`. */
export function toNamedRoot(text: string): RootArgument {
  const root = toRoot(text);
  const found = namedIn(root.path);
  if (found) return { ...root, ...found };
  throw new UsageError(
    `${text}: in a fleet each directory has a name that all replicas know it by: DIR=NAME (letters, digits, '.', '_' and '-'), or DIR==NAME where the path has a '=' in it`,
  );
}

export function isNamedRoot(text: string): boolean {
  return !text.startsWith('=') && namedIn(text.replace(/:ro$/, '')) !== undefined;
}

function namedIn(text: string): { path: string; name: string } | undefined {
  const double = text.lastIndexOf('==');
  const at = double >= 0 ? double : text.lastIndexOf('=');
  const path = text.slice(0, at);
  const name = text.slice(double >= 0 ? at + 2 : at + 1);
  // If the path contains a '=', only a double one shows where the name begins.
  if (at <= 0 || !NAME.test(name) || (double < 0 && path.includes('='))) return undefined;
  return { path, name };
}
