/**
 * Packs the entries of directories and their facts, so that a scan of a hundred thousand entries can be sent between
 * threads, stored and compared without an object for each of them.
 */
import type { EntryType } from '../../failures.ts';
import type { Stat } from '../directory/dir.ts';

/** What a scan keeps of an entry. */
export type EntryStat = Pick<Stat, 'type' | 'size' | 'mode' | 'dev' | 'ino' | 'mtimeNs' | 'ctimeNs'>;

/** The same facts as the system gives them, so that a hundred thousand of them can be packed without a conversion. */
export interface RawStat {
  type: EntryType;
  /** Without the bits of the type. */
  mode: number;
  size: bigint;
  dev: bigint;
  ino: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
}

/** How many numbers an entry takes: type and mode, size, device, inode, times of modification and change. */
const FACTS = 6;
const TYPES: readonly EntryType[] = ['file', 'directory', 'symlink', 'special'];
const TYPE_BITS = 2;

/** A directory, or a part of one that has very many entries. Names and paths are raw, see raw-names.ts. */
export interface PackedDirectory {
  /** Relative to the directory where the scan began; empty for that one. */
  readonly path: string;
  /** Which part of the directory this is. */
  readonly part: number;
  /** The names, separated by NUL. */
  readonly names: string;
  /** How many names there are. */
  readonly count: number;
  /** The targets of its symbolic links as they are written, in the order of their names, separated by NUL. */
  readonly links: string;
  readonly facts: BigInt64Array;
}

/** Many directories in a form that threads can send; the facts of all are in one array. */
export interface PackedDirectories {
  readonly directories: readonly Omit<PackedDirectory, 'facts'>[];
  readonly facts: BigInt64Array;
  /** Paths of directories that may not be read. */
  readonly unread: readonly string[];
}

type PackedFacts = Pick<PackedDirectory, 'facts'>;

export class EntryPacker {
  readonly #directories: Omit<PackedDirectory, 'facts'>[] = [];
  readonly #unread: string[] = [];
  #facts = new BigInt64Array(1024 * FACTS);
  #used = 0;

  /** Adds the facts of the next entry of a directory. */
  addFacts({ type, mode, size, dev, ino, mtimeNs, ctimeNs }: RawStat): void {
    if (this.#used + FACTS > this.#facts.length) {
      const larger = new BigInt64Array(this.#facts.length * 2);
      larger.set(this.#facts);
      this.#facts = larger;
    }
    const facts = this.#facts;
    const at = this.#used;
    facts[at] = BigInt((mode << TYPE_BITS) | TYPES.indexOf(type));
    facts[at + 1] = size;
    facts[at + 2] = dev;
    facts[at + 3] = ino;
    facts[at + 4] = mtimeNs;
    facts[at + 5] = ctimeNs;
    this.#used += FACTS;
  }

  /** Ends a directory. The names are in the order in which the facts of the entries were added. */
  addDirectory(path: string, part: number, names: readonly string[], links: readonly string[]): void {
    if (names.length === 0) return;
    const count = names.length;
    this.#directories.push({ path, part, names: names.join('\0'), count, links: links.join('\0') });
  }

  addUnread(path: string): void {
    this.#unread.push(path);
  }

  /** Removes the facts of the last entries. */
  dropFacts(entries: number): void {
    this.#used -= entries * FACTS;
  }

  packed(): PackedDirectories {
    const facts = this.#facts.slice(0, this.#used);
    return { directories: this.#directories, facts, unread: this.#unread };
  }
}

export function unpacked({ directories, facts }: PackedDirectories): PackedDirectory[] {
  let at = 0;
  return directories.map((directory) => {
    const from = at;
    at += directory.count * FACTS;
    return { ...directory, facts: facts.subarray(from, at) };
  });
}

export function namesIn({ names }: PackedDirectory): string[] {
  return names.split('\0');
}

/** The targets of its links, by the index of the entry. */
export function linksIn(directory: PackedDirectory): Map<number, string> {
  const links = new Map<number, string>();
  if (directory.links === '') return links;
  const targets = directory.links.split('\0');
  for (let index = 0; links.size < targets.length; index++) {
    if (typeAt(directory, index) === 'symlink') links.set(index, targets[links.size]!);
  }
  return links;
}

/** Whether nothing differs at all: this costs less than unpacking a single entry. */
export function isSameDirectory(a: PackedDirectory, b: PackedDirectory): boolean {
  return a.names === b.names && a.links === b.links && bytesOf(a.facts).equals(bytesOf(b.facts));
}

export function isSameEntry(a: PackedFacts, at: number, b: PackedFacts, bAt: number): boolean {
  for (let i = 0; i < FACTS; i++) {
    if (a.facts[at * FACTS + i] !== b.facts[bAt * FACTS + i]) return false;
  }
  return true;
}

export function typeAt({ facts }: PackedFacts, index: number): EntryType {
  return TYPES[Number(facts[index * FACTS]!) & ((1 << TYPE_BITS) - 1)]!;
}

export function sizeAt({ facts }: PackedFacts, index: number): number {
  return Number(facts[index * FACTS + 1]!);
}

export function changedMsAt({ facts }: PackedFacts, index: number): number {
  return Number(facts[index * FACTS + 5]! / 1_000_000n);
}

export function statAt({ facts }: PackedFacts, index: number): EntryStat {
  const [first, size, dev, ino, mtimeNs, ctimeNs] = facts.subarray(index * FACTS, (index + 1) * FACTS);
  return {
    type: typeAt({ facts }, index),
    mode: Number(first!) >> TYPE_BITS,
    size: Number(size!),
    dev: BigInt.asUintN(64, dev!),
    ino: BigInt.asUintN(64, ino!),
    mtimeNs: mtimeNs!,
    ctimeNs: ctimeNs!,
  };
}

/** Packs only the facts of entries. */
export function packedStats(stats: readonly EntryStat[]): BigInt64Array {
  const facts = new BigInt64Array(stats.length * FACTS);
  for (const [index, stat] of stats.entries()) writeFacts(facts, index * FACTS, stat);
  return facts;
}

function writeFacts(facts: BigInt64Array, at: number, stat: EntryStat): void {
  facts[at] = BigInt((stat.mode << TYPE_BITS) | TYPES.indexOf(stat.type));
  facts[at + 1] = BigInt(stat.size);
  facts[at + 2] = stat.dev;
  facts[at + 3] = stat.ino;
  facts[at + 4] = stat.mtimeNs;
  facts[at + 5] = stat.ctimeNs;
}

function bytesOf({ buffer, byteOffset, byteLength }: BigInt64Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
