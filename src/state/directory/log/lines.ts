/**
 * A record as one line of text, and back again.
 *
 *     {"id":…}                    plain
 *     0123456789ab {"e":…}        with a checksum; an empty line stands before it
 *
 * The line break in front of a line with a checksum parts it from one that a crash cut short.
 */
import { createHash } from 'node:crypto';
import type { LogOptions } from '../../log.ts';

const CHECKSUM_LENGTH = 12;

export interface LineFormat<R extends object> {
  /** With its line breaks. */
  encode(record: R): string;
  /** Undefined for a line that is no record: cut short, foreign or empty. */
  decode(line: string): R | undefined;
  /** A line begins with a line break of its own, whatever precedes it. */
  readonly breaksFirst: boolean;
  /** In bytes. */
  readonly longest: number;
}

export function lineFormat<R extends object>(options: LogOptions<R>): LineFormat<R> {
  const { longest = Number.POSITIVE_INFINITY } = options;
  return options.checksums
    ? { encode: withChecksum, decode: (line) => checked(line, options), breaksFirst: true, longest }
    : {
        encode: (record) => bounded(record, longest, options),
        decode: (line) => plain(line, options),
        breaksFirst: false,
        longest,
      };
}

function withChecksum(record: object): string {
  const json = JSON.stringify(record);
  return `\n${checksum(json)} ${json}\n`;
}

function checked<R extends object>(line: string, { accept }: LogOptions<R>): R | undefined {
  // A redacted line is filled up with spaces.
  const json = line.slice(CHECKSUM_LENGTH + 1).trimEnd();
  if (json === '' || line[CHECKSUM_LENGTH] !== ' ') return undefined;
  return checksum(json) === line.slice(0, CHECKSUM_LENGTH) ? accept(JSON.parse(json)) : undefined;
}

function checksum(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, CHECKSUM_LENGTH);
}

function bounded<R extends object>(record: R, longest: number, { shorten }: LogOptions<R>): string {
  let line = asLine(record);
  if (fits(line, longest)) return line;
  for (const shorter of shorten?.(record) ?? []) {
    line = asLine(shorter);
    if (fits(line, longest)) break;
  }
  return line;
}

function asLine(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

/** A UTF-16 unit is at most three bytes of UTF-8: nearly every line is short enough without counting. */
function fits(line: string, longest: number): boolean {
  return line.length * 3 <= longest || Buffer.byteLength(line) <= longest;
}

/** A whole record may follow one that another process could not write to its end. */
function plain<R extends object>(line: string, { accept, opening }: LogOptions<R>): R | undefined {
  if (line === '') return undefined;
  const value = parsed(line);
  if (value !== undefined) return accept(value);
  const start = opening === undefined ? -1 : line.lastIndexOf(opening);
  return start > 0 ? accept(parsed(line.slice(start))) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
