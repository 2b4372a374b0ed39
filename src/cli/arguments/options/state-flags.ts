/** Parses the options of the state directory, and times and sizes as people write them. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultRetention, type RetentionLimits } from '../../../engine/index.ts';
import { defaultStateDirectory } from '../../../state/directory/default-directory.ts';
import { isDatabaseAddress } from '../../../state/postgres/connections/settings.ts';
import { UsageError } from '../../usage-error.ts';
import type { RootArgument } from '../roots.ts';

export interface StateSettings {
  /** The address of a fleet's database. It holds a password, so it is never shown. */
  address: string | undefined;
  /** Where directories of the fleet are on this machine, for commands that serve nothing. */
  roots: readonly RootArgument[];
  directory: string;
  /** Whether the operator named the directory. If so, it must work. */
  named: boolean;
  journal: boolean;
  keep: RetentionLimits;
  /** Whether the trace holds arguments and answers, too. */
  contents: boolean;
}

export interface StateValues {
  state?: string | undefined;
  'state-file'?: string | undefined;
  keep?: string[] | undefined;
  'keep-file'?: string | undefined;
  'keep-call'?: string | undefined;
  'no-undo-for-large'?: boolean | undefined;
  'no-journal'?: boolean | undefined;
  'trace-contents'?: boolean | undefined;
}

export function parseState(
  values: StateValues,
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  /** The value of COFFERDAM_STATE. */
  set: string | undefined,
): StateSettings {
  if (values.state === '') throw new UsageError('--state needs a directory');
  const named = namedState(values, set);
  const address = named !== undefined && isDatabaseAddress(named) ? named : undefined;
  return {
    address,
    roots: [],
    directory:
      named === undefined || address !== undefined
        ? defaultStateDirectory(environment, home)
        : resolve(named),
    named: named !== undefined,
    journal: values['no-journal'] !== true,
    keep: parseRetention(values),
    contents: values['trace-contents'] === true,
  };
}

function namedState(values: StateValues, set: string | undefined): string | undefined {
  const { state, 'state-file': file } = values;
  if (state !== undefined && file !== undefined)
    throw new UsageError('--state and --state-file exclude each other');
  if (file !== undefined) return addressIn(file, `--state-file ${file}`);
  return state ?? (set || undefined);
}

/** The address in a file. It holds a password, so this fails when other users can read the file. */
export function addressIn(file: string, shown: string): string {
  let text: string;
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new UsageError(`${shown}: other users can read it; chmod 600 ${file}`);
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shown}: it cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (!isDatabaseAddress(text))
    throw new UsageError(`${shown}: it holds no address that begins with postgres://`);
  return text;
}

const UNITS: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `500`, `500B`, `64K`, `500MB` and `1GiB` are sizes. */
export function sizeOf(text: string): number | undefined {
  const parts = /^(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b)?$/i.exec(text.trim());
  return parts ? Math.floor(Number(parts[1]) * (UNITS[parts[2]?.toLowerCase() ?? ''] ?? 1)) : undefined;
}

/** `30` and `30d` are days; `500M`, `1G` and `1GiB` are sizes. Both may be given. */
function parseRetention(values: StateValues): RetentionLimits {
  const keep = { ...defaultRetention };
  for (const option of ['file', 'call'] as const) {
    const text = values[`keep-${option}`];
    if (text === undefined) continue;
    const bytes = sizeOf(text);
    if (!bytes) throw new UsageError(`--keep-${option} ${text}: give a size such as 500MB or 1GiB`);
    keep[option] = bytes;
  }
  if (values['no-undo-for-large']) keep.changesLarge = true;
  for (const text of (values.keep ?? []).flatMap((list) => list.split(','))) {
    const days = Number(/^(\d+(?:\.\d+)?)\s*(?:d|days?)?$/i.exec(text.trim())?.[1]);
    const bytes = Number.isNaN(days) ? sizeOf(text) : undefined;
    if (bytes === 0 || days === 0 || (bytes === undefined && Number.isNaN(days)))
      throw new UsageError(`--keep ${text}: give days or a size, such as 30d, 500MB or 1GiB`);
    if (bytes === undefined) keep.days = days;
    else keep.bytes = bytes;
  }
  return keep;
}

const PERIODS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const PERIOD = /(\d+)\s*(s|m|h|d|w)(?:ec|in|ours?|ays?|eeks?)?\s*/g;

/** `10m`, `1h30m` and `3d` are times ago, `14:30` is today. `yesterday` and dates, with or without a time, work too. */
export function parseTime(text: string, now: Date): number {
  const time = timeAgo(text, now) ?? timeOfDay(text, now) ?? timeOfDate(text);
  if (time !== undefined) return time;
  throw new UsageError(
    `--since ${text}: give a time such as 10m, 1h30m, 14:30, yesterday or 2026-01-31T14:30`,
  );
}

function timeAgo(text: string, now: Date): number | undefined {
  if (text === '' || text.replace(PERIOD, '') !== '') return undefined;
  let seconds = 0;
  for (const [, count, unit] of text.matchAll(PERIOD)) seconds += Number(count) * PERIODS[unit!]!;
  return now.getTime() - seconds * 1000;
}

function timeOfDay(text: string, now: Date): number | undefined {
  const time = new Date(now);
  if (text === 'today') return time.setHours(0, 0, 0, 0);
  if (text === 'yesterday') {
    time.setDate(time.getDate() - 1);
    return time.setHours(0, 0, 0, 0);
  }
  const [hours, minutes, seconds] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text)?.slice(1) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) {
    return undefined;
  }
  return time.setHours(Number(hours), Number(minutes), Number(seconds ?? 0), 0);
}

function timeOfDate(text: string): number | undefined {
  const [year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text)?.slice(1).map(Number) ?? [];
  if (year === undefined) return undefined;
  // Date.UTC would take the 31st of a shorter month for a day of the next month.
  if (new Date(Date.UTC(year, month! - 1, day)).getUTCDate() !== day) return undefined;
  // Date.parse takes a date without a time for UTC, but one with a time for local time.
  const date = Date.parse(text.length === 10 ? `${text}T00:00` : text);
  return Number.isNaN(date) ? undefined : date;
}
