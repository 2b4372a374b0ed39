/**
 * Converts a record to a line of text and back.
 *
 *     {"id":…}                    plain
 *     0123456789ab {"e":…}        with a checksum, after an empty line
 *
 * The line break before a line with a checksum separates it from a line that a crash cut short.
 */
import { createHash } from 'node:crypto';
import { fitsInBytes } from '../../../utf16.ts';
import type { LogOptions } from '../../log.ts';

const CHECKSUM_LENGTH = 12;

export interface LineFormat<R extends object> {
  /** The line of a record, including its line breaks. */
  encode(record: R): string;
  /** Undefined for a line that is not a record: truncated, foreign or empty. */
  decode(line: string): R | undefined;
  /** Whether each line begins with a line break of its own. */
  readonly breaksFirst: boolean;
  /** The size limit of a line in bytes. */
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
  // A redacted line is padded with spaces.
  const json = line.slice(CHECKSUM_LENGTH + 1).trimEnd();
  if (json === '' || line[CHECKSUM_LENGTH] !== ' ') return undefined;
  return checksum(json) === line.slice(0, CHECKSUM_LENGTH) ? accept(JSON.parse(json)) : undefined;
}

function checksum(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, CHECKSUM_LENGTH);
}

function bounded<R extends object>(record: R, longest: number, { shorten }: LogOptions<R>): string {
  let line = asLine(record);
  if (fitsInBytes(line, longest)) return line;
  for (const shorter of shorten?.(record) ?? []) {
    line = asLine(shorter);
    if (fitsInBytes(line, longest)) break;
  }
  return line;
}

function asLine(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

/** A complete record may follow, on the same line, one that another process could not finish. */
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
