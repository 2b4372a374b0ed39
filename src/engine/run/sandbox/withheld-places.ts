/**
 * Finds what the owner of the server denies or hides in the roots, so that bubblewrap masks it.
 *
 * A mask keeps a command from reading an entry and from moving it. If anything cannot be masked, no command runs.
 */
import { constants, lstatSync } from 'node:fs';
import { allows } from '../../confine/probe-path.ts';
import { isBelow } from '../../confine/roots.ts';
import { absolutePath, childPath } from '../../confine/scan/child-path.ts';
import { type Cursor, openCursor, scanRootOf } from '../../confine/scan/cursor.ts';
import { encoded, rawOf, textOf } from '../../confine/scan/raw-names.ts';
import { identityOf } from '../../confine/stat.ts';
import type { Wall } from '../../confine/wall.ts';
import type { Withheld } from '../../confine/withheld/withheld.ts';
import { WithheldBelow } from '../../confine/withheld/withheld-below.ts';
import { Yielder } from '../../event-loop.ts';
import { fail } from '../../failures.ts';
import type { SandboxPlace } from './held-places.ts';

export interface MaskedPlace extends SandboxPlace {
  isDirectory: boolean;
}

const { X_OK } = constants;
/** Each place is a mount, and so is every directory on the way to it. With many more, a command would not start. */
const MAX_MASKED = 500;
/** Every command waits for the search, so it gives up after this many entries. */
const MAX_SEARCHED_ENTRIES = 1_000_000;

/** The outermost withheld entries: what is inside a masked directory needs no mask of its own. */
export async function findWithheldPlaces(
  wall: Wall,
  signal: AbortSignal | undefined,
): Promise<MaskedPlace[]> {
  const { withheld } = wall;
  if (withheld === undefined) return [];
  const search = new WithheldSearch(withheld, new Yielder(signal));
  const outermost = wall.roots.filter(({ real }) => !wall.roots.some((other) => isBelow(real, other.real)));
  for (const { real, dir } of outermost) {
    const cursor = openCursor(scanRootOf(dir));
    try {
      await search.below(cursor, rawOf(real));
    } finally {
      cursor.close();
    }
  }
  return search.found;
}

class WithheldSearch {
  readonly found: MaskedPlace[] = [];
  readonly #withheld: Withheld;
  readonly #yielder: Yielder;
  #entriesLeft = MAX_SEARCHED_ENTRIES;

  constructor(withheld: Withheld, yielder: Yielder) {
    this.#withheld = withheld;
    this.#yielder = yielder;
  }

  /** `root` is the raw path of the directory that the cursor starts at. */
  async below(cursor: Cursor, root: string): Promise<void> {
    const served = new WithheldBelow({ withheld: this.#withheld, path: root }, cursor);
    const waiting = [''];
    for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
      await this.#yielder.pause();
      if (cursor.goTo(directory)) continue;
      const listing = await cursor.listInTurns(() => this.#yielder.pause());
      const here = directory === '' ? root : absolutePath(root, directory);
      if (typeof listing === 'string' || !allows(encoded(here), X_OK)) {
        if (mayBeEntered(here)) this.#add(here, true);
        continue;
      }
      this.#entriesLeft -= listing.names.length;
      if (this.#entriesLeft < 0) tooMany(`the directories hold more than ${MAX_SEARCHED_ENTRIES} entries`);
      const verdicts = await served.verdictsInTurns(directory, listing, () => this.#yielder.pause());
      for (const [index, name] of listing.names.entries()) {
        const path = childPath(directory, name);
        const type = listing.types[index]!;
        // A link cannot be masked. Its target has a name of its own, which decides.
        if (verdicts.has(name)) {
          if (type !== 'symlink') this.#add(absolutePath(here, name), type === 'directory');
        } else if (type === 'directory') waiting.push(path);
      }
    }
  }

  #add(raw: string, isDirectory: boolean): void {
    const path = textOf(raw);
    if (rawOf(path) !== raw) tooMany(`the name of ${path} is not valid UTF-8`);
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return;
    const identity = identityOf(stat);
    if (this.found.push({ path, identity, fd: undefined, writable: false, isDirectory }) > MAX_MASKED) {
      tooMany(`more than ${MAX_MASKED} entries are denied or hidden`);
    }
  }
}

/**
 * Whether a command could read in a directory that the server cannot search: it may be entered although it cannot be
 * listed, or it belongs to the user, who can give back the missing permissions.
 */
function mayBeEntered(raw: string): boolean {
  const path = encoded(raw);
  return allows(path, X_OK) || lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function tooMany(why: string): never {
  return fail({
    kind: 'no-sandbox',
    reason: `${why}, and the sandbox could not keep commands from all of them`,
  });
}
