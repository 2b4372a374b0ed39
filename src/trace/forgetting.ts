/**
 * Takes arguments and answers out of the stored trace, for good.
 *
 * Servers have these files open and add to their ends. So nothing is moved: a line is written over where it
 * stands, as long as it was.
 */
import { closeSync, constants, fstatSync, readSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { TraceDirectory } from './directory.ts';
import type { TraceEvent } from './event.ts';
import { eventOf } from './line.ts';

const NEWLINE = 10;
const SPACE = 0x20;
/** Who is in the middle of a line has ended it by then. */
const END_OF_LINE_MS = 50;
const NOTE = 'contents were forgotten';

/** How many calls had contents on record that touched these paths, what lies below or above them; undefined: any. */
export async function forgetTraced(
  stateDirectory: string,
  paths: readonly string[] | undefined,
  dryRun: boolean,
): Promise<number> {
  const directory = new TraceDirectory(stateDirectory);
  let calls = 0;
  for (const { name } of directory.files()) {
    const fd = directory.open(name, dryRun ? constants.O_RDONLY : constants.O_RDWR);
    try {
      if (!endsWithNewline(readAll(fd))) await pause(END_OF_LINE_MS);
      calls += forgetInFile(fd, (event) => concerns(event, paths), dryRun);
    } finally {
      closeSync(fd);
    }
  }
  return calls;
}

function forgetInFile(fd: number, isMeant: (event: TraceEvent) => boolean, dryRun: boolean): number {
  const bytes = readAll(fd);
  let calls = 0;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    const line = bytes.toString('utf8', start, end);
    const instead = withoutContents(line, isMeant);
    if (instead !== undefined && eventOf(line)) calls += 1;
    if (instead !== undefined && !dryRun) overwrite(fd, start, end - start, instead);
    start = end + 1;
  }
  return calls;
}

/** Undefined for what can stay. Of a line that was cut off nobody can tell what it is about: it goes. */
function withoutContents(line: string, isMeant: (event: TraceEvent) => boolean): string | undefined {
  if (line.trim() === '') return undefined;
  const event = eventOf(line);
  if (!event) return '';
  const { arguments: said, answer, ...rest } = event;
  const whole = line.startsWith(`{"id":${JSON.stringify(event.id)}`);
  if (whole && ((said === undefined && answer === undefined) || !isMeant(event))) return undefined;
  if (said === undefined && answer === undefined) return JSON.stringify(rest);
  const note = rest.note === undefined ? NOTE : `${rest.note}; ${NOTE}`;
  const noted = JSON.stringify({ ...rest, note });
  return Buffer.byteLength(noted) <= Buffer.byteLength(line) ? noted : JSON.stringify(rest);
}

function overwrite(fd: number, at: number, length: number, text: string): void {
  const line = Buffer.alloc(length, SPACE);
  line.write(text, 'utf8');
  for (let done = 0; done < length; ) done += writeSync(fd, line, done, length - done, at + done);
}

/** A call that names no path, or not all of them, may have touched any. */
function concerns({ paths, morePaths }: TraceEvent, meant: readonly string[] | undefined): boolean {
  if (meant === undefined || paths.length === 0 || morePaths !== undefined) return true;
  return paths.some(({ path }) => meant.some((each) => isBelow(path, each) || isBelow(each, path)));
}

function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(above.endsWith('/') ? above : `${above}/`);
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
