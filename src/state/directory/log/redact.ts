/**
 * Removes something permanently from the lines of a file.
 *
 * Other processes have the file open and append to it, so nothing may move: each line is overwritten in place, with
 * the same length.
 */
import { closeSync, constants, fstatSync, readSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { LineFormat } from './lines.ts';
import type { LogFiles } from './log-files.ts';

const NEWLINE = 10;
const SPACE = 0x20;
/** Long enough for a process in mid-write to finish its line. */
const END_OF_LINE_MS = 50;

export async function redactFile<R extends object>(
  files: LogFiles,
  name: string,
  format: LineFormat<R>,
  replace: (record: R) => readonly R[] | undefined,
): Promise<void> {
  const fd = files.open(name, constants.O_RDWR);
  try {
    if (!endsWithNewline(readAll(fd))) await pause(END_OF_LINE_MS);
    const bytes = readAll(fd);
    for (let start = 0; start < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline < 0 ? bytes.length : newline;
      const instead = redacted(bytes.toString('utf8', start, end), end - start, format, replace);
      if (instead !== undefined) overwrite(fd, start, end - start, instead);
      start = end + 1;
    }
  } finally {
    closeSync(fd);
  }
}

/** The text that replaces a line; undefined for a line that can stay. */
function redacted<R extends object>(
  line: string,
  bytes: number,
  format: LineFormat<R>,
  replace: (record: R) => readonly R[] | undefined,
): string | undefined {
  if (line.trim() === '') return undefined;
  const record = format.decode(line);
  if (!record) return '';
  const asWritten = format.encode(record).trim();
  const shorter = replace(record)?.map((each) => format.encode(each).trim());
  // A truncated record in front of a complete one is removed, too.
  if (!shorter && asWritten === line.trimEnd()) return undefined;
  return [...(shorter ?? [asWritten])].find((each) => Buffer.byteLength(each) <= bytes) ?? '';
}

function overwrite(fd: number, at: number, length: number, text: string): void {
  const line = Buffer.alloc(length, SPACE);
  line.write(text, 'utf8');
  for (let done = 0; done < length; ) done += writeSync(fd, line, done, length - done, at + done);
}

function readAll(fd: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  let length = 0;
  for (let got = -1; got !== 0 && length < bytes.length; length += got) {
    got = readSync(fd, bytes, length, bytes.length - length, length);
  }
  return bytes.subarray(0, length);
}

function endsWithNewline(bytes: Buffer): boolean {
  return bytes.length === 0 || bytes.at(-1) === NEWLINE;
}
