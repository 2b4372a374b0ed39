/** Scans and copies whole trees, possibly with many threads. Paths and names are raw, see raw-names.ts. */
import type { Dir } from '../directory/dir.ts';
import type { PackedDirectory } from './packed-entries.ts';

export interface ScanOptions {
  /** Names of directories to report but not to enter. */
  notEntered: readonly string[];
  /** The scan of a tree with more entries stops early. */
  mostEntries: number;
  /** Only counts the entries, and reports none. */
  countOnly?: boolean;
}

export interface TreeScan {
  directories: PackedDirectory[];
  /** Paths of directories that may not be read. */
  unread: string[];
  /** How many entries were seen. */
  count: number;
  tooMany: boolean;
}

/** Files of one directory. */
export interface DirectoryFiles {
  path: string;
  names: readonly string[];
}

/** An open file that contents are copied into, one after the other. */
export interface CopyTarget {
  fd: number;
  /** One number: how many bytes are taken. Threads share it. */
  taken: Int32Array;
  most: number;
}

/** Copied contents: the path of each file, where its content begins, and the facts of the file that was read. */
export interface Copies {
  paths: readonly string[];
  offsets: Float64Array;
  facts: BigInt64Array;
  /** The code of the error that kept others from being copied. */
  problem?: string | undefined;
}

export interface TreeScanner {
  /** Leaves out the entries of a directory that this user may not read. */
  scan(dir: Dir, options: ScanOptions): Promise<TreeScan>;
  /** Copies regular files. Leaves out those that cannot be read or do not fit. */
  copy(dir: Dir, files: readonly DirectoryFiles[], target: CopyTarget): Promise<Copies[]>;
}
