/** Reads the lines of an open file, forwards or backwards, a block at a time and in bounded memory. */
import { fstatSync, readSync } from 'node:fs';

const BLOCK_FORWARDS = 1024 * 1024;
const BLOCK_BACKWARDS = 128 * 1024;
const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

/**
 * The complete lines from an offset on, a block's worth at a time. Moves the offset to the end of the last complete
 * line; what follows is not a line yet. Skips more than `longest` bytes without a line break.
 */
export function* linesFrom(fd: number, at: { offset: number }, longest: number): Generator<string[]> {
  /** The parts of a line that may span many blocks; they are joined once. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for (let position = at.offset; ; ) {
    // Usually only a line or two were added: allocating a whole block would be most of the work.
    const left = Math.max(0, fstatSync(fd).size - position);
    const block = Buffer.allocUnsafe(Math.min(BLOCK_FORWARDS, left));
    const got = readSync(fd, block, 0, block.length, position);
    if (got === 0) return;
    const end = block.subarray(0, got).lastIndexOf(NEWLINE);
    if (end < 0) {
      begun.push(block.subarray(0, got));
      begunBytes += got;
    } else {
      const whole = Buffer.concat([...begun, block.subarray(0, end)]);
      begun = [block.subarray(end + 1, got)];
      begunBytes = got - end - 1;
      at.offset = position + end + 1;
      yield whole.toString('utf8').split('\n');
    }
    position += got;
    if (begunBytes > longest) {
      at.offset = position;
      begun = [];
      begunBytes = 0;
    }
  }
}

/** The complete lines, last one first, a block's worth at a time. */
export function* linesBack(fd: number, longest: number): Generator<string[]> {
  let end = fstatSync(fd).size;
  /** The end of a line that begins in an earlier block. */
  let rest: Buffer = NOTHING;
  while (end > 0) {
    const length = Math.min(BLOCK_BACKWARDS, end);
    const block = Buffer.allocUnsafe(length);
    const got = readSync(fd, block, 0, length, end - length);
    // The file was truncated meanwhile: what followed is gone.
    const joined = got < length ? block.subarray(0, got) : Buffer.concat([block, rest]);
    end -= length;
    const whole = end === 0 ? 0 : joined.indexOf(NEWLINE) + 1;
    if (end > 0 && whole === 0) {
      rest = joined.length > longest ? NOTHING : joined;
      continue;
    }
    rest = joined.subarray(0, Math.max(whole - 1, 0));
    yield joined.toString('utf8', whole).split('\n').reverse();
  }
}
