/**
 * Files and trees that were set aside have no hash on record. So what one of them holds is read here, to find the
 * same content wherever else it is kept: in the store, in another file that was set aside, inside a tree.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../confine/roots.ts';
import { encoded, rawOf, textOf } from '../../confine/scan/raw-names.ts';
import { neededElsewhere } from '../entries/contents-needed.ts';
import type { JournalEntry } from '../entries/entry.ts';
import type { ForgetRequest, Selection } from './forget-selection.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
const READ_BYTES = 1024 * 1024;
const SHA256 = /^[0-9a-f]{64}$/;
/** An empty file holds nothing to be forgotten, and many entries need it. */
export const EMPTY = createHash('sha256').digest('hex');

interface ContentOnDisk {
  /** In raw names. */
  path: string;
  hash: string;
}

/** Of all regular files at a path and below it. Names stay bytes (raw-names.ts), and links are not followed. */
export function* contentsAt(path: string): Generator<ContentOnDisk> {
  const stat = fs.lstatSync(encoded(path), { throwIfNoEntry: false });
  if (stat?.isFile() && stat.size > 0) {
    const hash = hashOfFile(path);
    if (hash !== undefined) yield { path, hash };
  }
  if (!stat?.isDirectory()) return;
  for (const name of namesIn(path)) yield* contentsAt(`${path}/${name}`);
}

/** Undefined for what may not be read. */
function hashOfFile(path: string): string | undefined {
  try {
    const fd = fs.openSync(encoded(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (!fs.fstatSync(fd).isFile()) return undefined;
      const hash = createHash('sha256');
      const chunk = Buffer.allocUnsafe(READ_BYTES);
      for (let got = fs.readSync(fd, chunk); got > 0; got = fs.readSync(fd, chunk)) {
        hash.update(chunk.subarray(0, got));
      }
      return hash.digest('hex');
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function namesIn(path: string): string[] {
  try {
    return fs.readdirSync(encoded(path), { encoding: 'latin1' });
  } catch {
    return [];
  }
}

/** Adds the copies of what is selected. For entries, a copy that another entry needs stays, and is told. */
export function addCopies(
  directory: string,
  request: ForgetRequest,
  entries: readonly JournalEntry[],
  given: ReadonlySet<string>,
  selected: Selection,
): void {
  if (request.what === 'all') return;
  const aside = rawOf(join(directory, 'aside'));
  const hashes = new Set([...selected.names, ...selected.stays.keys()].filter((name) => SHA256.test(name)));
  for (const place of placesAside(aside, selected)) {
    for (const { hash } of contentsAt(place)) hashes.add(hash);
  }
  if (hashes.size === 0) return;
  const needers =
    request.what === 'entries' ? neededElsewhere(entries, new Set([...selected.of, ...given])) : undefined;
  const select = (name: string, add: () => void) => {
    const ids = needers?.get(name);
    if (ids) selected.stays.set(name, ids);
    else add();
  };
  for (const hash of hashes) select(hash, () => selected.names.add(hash));
  for (const name of namesIn(aside)) {
    if (selected.names.has(name)) continue;
    for (const { path, hash } of contentsAt(`${aside}/${name}`)) {
      if (!hashes.has(hash)) continue;
      select(name, () => addAside(selected, name, path.slice(`${aside}/${name}/`.length)));
    }
  }
}

/** Where the things stand that are selected by name or in part. */
function placesAside(aside: string, { names, inside }: Selection): string[] {
  const whole = [...names].filter((name) => !SHA256.test(name)).map((name) => `${aside}/${name}`);
  return [...whole, ...inside.map(([name, path]) => `${aside}/${name}/${rawOf(path)}`)];
}

/** A name that is no text cannot be written down: then all that was set aside with it goes. */
function addAside({ names, inside }: Selection, name: string, raw: string): void {
  if (raw === '' || !isUtf8(Buffer.from(raw, 'latin1'))) {
    names.add(name);
    return;
  }
  const below = textOf(raw);
  const isSelected = inside.some(([each, at]) => each === name && isWithin(below, at));
  if (!isSelected) inside.push([name, below]);
}
