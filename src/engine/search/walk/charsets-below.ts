/** Which encodings are declared for the files that a thread meets: it reads .editorconfig files on its way. */
import { LONGEST_CONFIG } from '../../charset/editorconfig/parse.ts';
import { type CharsetScope, CharsetsBelow } from '../../charset/scope.ts';
import { type Cursor, readSmallFile } from '../../confine/scan/cursor.ts';
import { textOf } from '../../confine/scan/raw-names.ts';
import { WithheldBelow, type WithheldScope } from '../../confine/withheld/withheld-below.ts';

const CONFIG_NAME = '.editorconfig';

/** Moves the cursor. A file that the owner withholds says nothing. */
export function charsetsBelow(
  scope: CharsetScope,
  cursor: Cursor,
  withheld: WithheldScope | undefined,
): CharsetsBelow {
  const served = withheld && new WithheldBelow(withheld, cursor);
  const isServed = (directory: string) => {
    const only = { names: [CONFIG_NAME], types: ['file' as const] };
    const found = served?.serve(directory, only);
    return !found || (found.listing.names.length > 0 && found.denied.size === 0);
  };
  const read = (directory: string) => {
    if (cursor.goTo(directory)) return undefined;
    const bytes = readSmallFile(cursor, CONFIG_NAME, LONGEST_CONFIG);
    return bytes && isServed(directory) ? bytes.toString('utf8') : undefined;
  };
  return new CharsetsBelow(scope, read, textOf);
}
