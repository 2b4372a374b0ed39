/**
 * Finds the encodings that are declared for the files that a thread searches: it reads .editorconfig files on the way.
 * If a listing has shown that a directory has none, the thread does not ask the system again.
 */
import { LONGEST_CONFIG } from '../../charset/editorconfig/parse.ts';
import { type CharsetScope, CharsetsBelow } from '../../charset/scope.ts';
import type { Cursor } from '../../confine/scan/cursor.ts';
import { readSmallFile } from '../../confine/scan/open-file.ts';
import { textOf } from '../../confine/scan/raw-names.ts';
import { WithheldBelow, type WithheldScope } from '../../confine/withheld/withheld-below.ts';

const CONFIG_NAME = '.editorconfig';

/** How many directories without such a file to remember. */
const MOST_WITHOUT = 4096;

export interface ListedCharsets extends Pick<CharsetsBelow, 'of'> {
  /** Call this with the names in a directory, before `of` is called for its files. */
  listed(directory: string, names: readonly string[]): void;
}

/** Moves the cursor. An .editorconfig that the owner withholds declares nothing. */
export function charsetsBelow(
  scope: CharsetScope,
  cursor: Cursor,
  withheld: WithheldScope | undefined,
): ListedCharsets {
  const without = new Set<string>();
  const served = withheld && new WithheldBelow(withheld, cursor);
  const isServed = (directory: string) => {
    const only = { names: [CONFIG_NAME], types: ['file' as const] };
    const found = served?.serve(directory, only);
    return !found || (found.listing.names.length > 0 && found.denied.size === 0);
  };
  const read = (directory: string) => {
    if (without.has(directory) || cursor.goTo(directory)) return undefined;
    const bytes = readSmallFile(cursor, CONFIG_NAME, LONGEST_CONFIG);
    return bytes && isServed(directory) ? bytes.toString('utf8') : undefined;
  };
  const charsets = new CharsetsBelow(scope, read, textOf);
  return {
    of: (directory, name) => charsets.of(directory, name),
    listed: (directory, names) => {
      if (names.includes(CONFIG_NAME)) return;
      if (without.size >= MOST_WITHOUT) without.clear();
      without.add(directory);
    },
  };
}
