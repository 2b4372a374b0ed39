/** Compares two contents of a file, each in its own encoding. */
import { decode, type Encoding } from '../charset/codec.ts';
import { unifiedDiff } from './diff/unified-diff.ts';

export interface ByteContent {
  bytes: Uint8Array;
  encoding: Encoding;
}

export interface ComparedBytes {
  /** A unified diff; empty if both texts are equal or only the counts are wanted. */
  diff: string;
  added: number;
  removed: number;
}

export function comparedBytes(
  before: ByteContent,
  after: ByteContent,
  name: string,
  countsOnly: boolean,
): ComparedBytes {
  const diff = unifiedDiff(textOf(before), textOf(after), { oldName: name, newName: name });
  const counts = { added: countMarked('+', diff), removed: countMarked('-', diff) };
  return { diff: countsOnly ? '' : diff, ...counts };
}

function textOf({ bytes, encoding }: ByteContent): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // In UTF-8 the byte-order mark stays in the text: a patch may show it.
  return encoding.charset === 'utf-8' ? buffer.toString('utf8') : decode(buffer, encoding);
}

/** Counts the lines with a mark after the two header lines. */
function countMarked(mark: string, diff: string): number {
  let count = 0;
  const header = diff.indexOf('\n', diff.indexOf('\n') + 1);
  for (let at = header; at >= 0; at = diff.indexOf('\n', at + 1)) if (diff[at + 1] === mark) count++;
  return count;
}
