/** Collects what the owner withholds when the directories are opened: the globs given, and a file in each directory. */
import { fail } from '../../failures.ts';
import { parseIgnoreLine } from '../../glob/ignore-pattern.ts';
import { closing } from '../closing.ts';
import { readBytesSync } from '../content/read.ts';
import type { Dir } from '../directory/dir.ts';
import { attempt } from '../errno.ts';
import type { Root } from '../roots.ts';
import { absolutePath } from '../scan/child-path.ts';
import { rawOf, textOf } from '../scan/raw-names.ts';
import { IGNORE_FILE } from './owner-files.ts';
import { SECRETS, secretGlobs } from './secrets.ts';
import { type RuledDirectory, Withheld } from './withheld.ts';

/** No real file of globs is longer. */
const LONGEST_IGNORE_FILE = 1 << 20;

export interface WithheldGlobs {
  /** Names that are listed but never opened. `secrets` stands for the usual names of files with secrets. */
  deny?: readonly string[];
  /** Names that do not exist for any tool. */
  hide?: readonly string[];
}

/** Undefined when nothing is withheld, so that lookups do not pay for it. */
export function readWithheld(
  roots: readonly Pick<Root, 'real' | 'dir'>[],
  globs: WithheldGlobs,
): Withheld | undefined {
  return withheldIn(
    roots.map(({ real, dir }) => ({ path: rawOf(real), ignoreFile: ignoreFileIn(dir, real) })),
    globs,
  );
}

/** The same for directories that may no longer exist. */
export function withheldIn(
  directories: readonly RuledDirectory[],
  globs: WithheldGlobs,
): Withheld | undefined {
  const denied = globs.deny ?? [];
  // The preset comes first, wherever it was given, so that its exceptions do not cancel the owner's own globs.
  const preset = denied.includes(SECRETS) ? secretGlobs : [];
  const deny = [...preset, ...denied.filter((glob) => glob !== SECRETS).map(readable)];
  const hide = (globs.hide ?? []).map(readable);
  const isEmpty = deny.length + hide.length === 0;
  if (isEmpty && directories.every(({ ignoreFile }) => ignoreFile === undefined)) return undefined;
  return new Withheld({ deny: deny.map(rawOf), hide: hide.map(rawOf), directories });
}

/** Refuses a glob that can never match: it would protect nothing, and the owner must know. */
function readable(glob: string): string {
  const reason = /[\0\n]/.test(glob)
    ? 'it has a line break or a NUL character in it'
    : parseIgnoreLine(rawOf(glob)) === undefined
      ? 'as a line of a .gitignore file it matches nothing'
      : undefined;
  if (reason !== undefined) fail({ kind: 'bad-glob', pattern: glob, reason });
  return glob;
}

/** A file that exists but cannot be read is an error: otherwise the server would serve what the file hides. */
function ignoreFileIn(dir: Dir, real: string): string | undefined {
  const path = absolutePath(real, IGNORE_FILE);
  const stat = attempt(path, 'look at', () => dir.lstat(IGNORE_FILE));
  if (stat === undefined) return undefined;
  if (stat.type === 'symlink') fail({ kind: 'io', path, action: 'read a link in place of', code: 'ELOOP' });
  const text = attempt(path, 'read', () => contentOf(dir)).toString('latin1');
  const limit = LONGEST_IGNORE_FILE;
  if (text.length > limit) fail({ kind: 'too-large', path, size: stat.size, limit, action: 'read' });
  const lines = text.replace(/^\xef\xbb\xbf/, '').split('\n');
  for (const [index, line] of lines.entries()) {
    if (/^(#|\s*$)/.test(line) || parseIgnoreLine(line) !== undefined) continue;
    const reason = `line ${index + 1} of ${path} matches nothing as a line of a .gitignore file`;
    fail({ kind: 'bad-glob', pattern: textOf(line), reason });
  }
  return lines.join('\n');
}

function contentOf(dir: Dir): Buffer {
  return closing(dir.open(IGNORE_FILE), (file) => readBytesSync(file, LONGEST_IGNORE_FILE + 1));
}
