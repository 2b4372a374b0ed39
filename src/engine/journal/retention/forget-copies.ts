/**
 * Finds copies of what the user wants forgotten. The journal has no hashes of what it set aside, so this reads those
 * files, to find the same content in the store, in other files that were set aside and inside trees.
 */
import { isUtf8 } from 'node:buffer';
import type { Contents, WholeTrees } from '../../../state/contents.ts';
import { isWithin } from '../../confine/roots.ts';
import { textOf } from '../../confine/scan/raw-names.ts';
import { isContentHash, neededElsewhere } from '../entries/contents-needed.ts';
import type { JournalEntry } from '../entries/entry.ts';
import type { ForgetRequest, ForgetSelection } from './forget-selection.ts';

/**
 * Adds the copies of what is selected. When the user named entries, a copy that another entry needs stays, and the
 * report names it. `given`: the entries that the user named in earlier requests.
 */
export async function addCopies(
  contents: Contents,
  request: ForgetRequest,
  entries: readonly JournalEntry[],
  given: ReadonlySet<string>,
  selected: ForgetSelection,
): Promise<void> {
  const { trees } = contents;
  if (request.what === 'all' || !trees) return;
  const hashes = new Set([...selected.names, ...selected.stays.keys()].filter(isContentHash));
  for (const hash of hashesAside(trees, selected)) hashes.add(hash);
  if (hashes.size === 0) return;
  const needers =
    request.what === 'entries' ? neededElsewhere(entries, new Set([...selected.of, ...given])) : undefined;
  const select = (name: string, add: () => void) => {
    const ids = needers?.get(name);
    if (ids) selected.stays.set(name, ids);
    else add();
  };
  for (const hash of hashes) select(hash, () => selected.names.add(hash));
  for await (const { name } of contents.list()) {
    if (isContentHash(name) || selected.names.has(name)) continue;
    for (const { path, hash } of trees.filesOf(name)) {
      if (hashes.has(hash)) select(name, () => addAside(selected, name, path));
    }
  }
}

/** The hashes of files set aside that are selected, by themselves or as a part of a tree. */
function* hashesAside(trees: WholeTrees, { names, inside }: ForgetSelection): Generator<string> {
  const whole = [...names].filter((name) => !isContentHash(name)).map((name) => [name, ''] as const);
  for (const [name, path] of [...whole, ...inside]) {
    for (const { hash } of trees.filesOf(name, path)) yield hash;
  }
}

/** Selects one file of a tree; the whole tree when the path is not valid UTF-8, which a line cannot hold. */
function addAside({ names, inside }: ForgetSelection, name: string, raw: string): void {
  if (raw === '' || !isUtf8(Buffer.from(raw, 'latin1'))) {
    names.add(name);
    return;
  }
  const below = textOf(raw);
  const isSelected = inside.some(([each, at]) => each === name && isWithin(below, at));
  if (!isSelected) inside.push([name, below]);
}
