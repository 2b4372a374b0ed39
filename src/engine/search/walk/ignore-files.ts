/** Finds and reads the ignore files of a directory. */
import type { Cursor } from '../../confine/scan/cursor.ts';
import { readSmallFile } from '../../confine/scan/open-file.ts';
import type { Selection } from '../query.ts';

/** Reads the ignore files with these names in a directory, as one text: a later file overrules an earlier one. */
export type ReadIgnoreFile = (directory: string, fileNames: readonly string[]) => string | undefined;

/** In bytes. No real ignore file is longer. */
const LONGEST_IGNORE_FILE: number = 1 << 20;

export function ignoreFileNames({ gitignore, ignoreFiles }: Selection): readonly string[] {
  if (ignoreFiles) return ['.gitignore', '.ignore'];
  return gitignore ? ['.gitignore'] : [];
}

export function ignoreFileReader(cursor: Cursor): ReadIgnoreFile {
  return (directory, fileNames) => readIgnoreFiles(cursor, directory, fileNames);
}

export function readIgnoreFiles(
  cursor: Cursor,
  directory: string,
  fileNames: readonly string[],
): string | undefined {
  if (cursor.goTo(directory)) return undefined;
  const texts = fileNames.flatMap(
    (name) => readSmallFile(cursor, name, LONGEST_IGNORE_FILE)?.toString('latin1') ?? [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}
