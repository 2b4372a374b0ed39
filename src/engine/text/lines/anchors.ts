/**
 * Anchors name lines by number and hash: `12#k3` is line 12, and `k3` the first two characters of the hash of that
 * line. An edit by anchors is short, and the hash shows if the line is no longer the one that its author saw.
 */
import crypto from 'node:crypto';
import { base32 } from '../short-hash.ts';

export interface Anchor {
  /** Counted from 1. */
  line: number;
  hash: string;
}

/** Which lines an edit names: all from one anchor to another, or the gap after a line or before the first one. */
export type AnchoredLines = { from: Anchor; to: Anchor } | { after: Anchor | undefined };

/**
 * The hashes of recent lines. Hashing takes as long as all the rest of showing a line, and most lines are shown again:
 * when the file is read again, when an edit names them, and in other files.
 */
const known = new Map<string, string>();
const MOST_KNOWN = 20_000;
const LONGEST_KNOWN = 200;

/** The hash of a line without its line end. */
export function lineHash(line: string): string {
  const before = known.get(line);
  if (before !== undefined) return before;
  const hash = base32(sha256(line), 2);
  if (line.length > LONGEST_KNOWN) return hash;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(line, hash);
  return hash;
}

/** Older versions of Node 20 lack `crypto.hash`, which is faster. */
function sha256(line: string): Uint8Array {
  return crypto.hash?.('sha256', line, 'buffer') ?? crypto.createHash('sha256').update(line).digest();
}

/** A bar may follow an anchor, as in the output of a read. */
const RANGE = /^\s*(\d{1,15})#([0-9a-z]{2})\|?(?:\s*-\s*(\d{1,15})#([0-9a-z]{2})\|?|(\+))?\s*$/i;
const AT_BEGINNING = /^\s*0\s*\+\s*$/;

/** Reads `12#k3-15#9q`, `12#k3`, `12#k3+` and `0+`; undefined for anything else. */
export function parseAnchors(written: string): AnchoredLines | undefined {
  if (AT_BEGINNING.test(written)) return { after: undefined };
  const parts = RANGE.exec(written);
  if (parts === null) return undefined;
  const from = { line: Number(parts[1]), hash: parts[2]!.toLowerCase() };
  if (parts[5] !== undefined) return { after: from };
  if (parts[3] === undefined) return { from, to: from };
  return { from, to: { line: Number(parts[3]), hash: parts[4]!.toLowerCase() } };
}
