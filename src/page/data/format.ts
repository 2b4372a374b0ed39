/** Formats numbers, times and sizes for readers. */
const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const clockFormat = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const minuteFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const longFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

export function count(value: number): string {
  return whole.format(value);
}

/** A number in a few characters, for charts and the tree. */
export function compact(value: number): string {
  return value < 10_000 ? whole.format(Math.round(value)) : short.format(value);
}

export function plural(value: number, one: string): string {
  return `${count(value)} ${value === 1 ? one : `${one}s`}`;
}

export function duration(ms: number): string {
  if (ms < 1) return '< 1 ms';
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 1 : 0)} s`;
  const minutes = Math.floor(ms / MINUTE);
  return `${minutes} min ${Math.round((ms - minutes * MINUTE) / SECOND)} s`;
}

/** The length of a step on a time axis, which is a whole number of seconds, minutes, hours or days. */
export function step(ms: number): string {
  if (ms < MINUTE) return `${ms / SECOND} s`;
  if (ms < 60 * MINUTE) return `${ms / MINUTE} min`;
  return ms < DAY ? `${ms / 60 / MINUTE} h` : plural(ms / DAY, 'day');
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 * 1024) return `${(value / 1024).toFixed(1)} KB`;
  return `${(value / 1024 / 1024).toFixed(1)} MB`;
}

export function clock(at: number): string {
  return clockFormat.format(at);
}

/** The day, or nothing if it is today. */
export function otherDay(at: number, now: number): string {
  return isSameDay(at, now) ? '' : dayFormat.format(at);
}

export function exactTime(at: number): string {
  return longFormat.format(at);
}

/** A label on a time axis that spans this many milliseconds. */
export function tick(at: number, span: number): string {
  if (span < 10 * MINUTE) return clockFormat.format(at);
  if (span < DAY) return minuteFormat.format(at);
  return span < 7 * DAY ? `${dayFormat.format(at)} ${minuteFormat.format(at)}` : dayFormat.format(at);
}

/** Formats the time range of a filter: milliseconds since 1970, or an empty text for an open end. */
export function timeRange(from: string, to: string): string {
  const span = from === '' || to === '' ? 0 : Number(to) - Number(from);
  const today = [from, to].every((at) => at === '' || isSameDay(Number(at), Date.now()));
  const written = (at: string) =>
    today ? clockFormat.format(Number(at)) : tick(Number(at), Math.max(span, DAY));
  if (from === '') return `before ${written(to)}`;
  return to === '' ? `since ${written(from)}` : `${written(from)} – ${written(to)}`;
}

function isSameDay(one: number, other: number): boolean {
  return Math.abs(one - other) < DAY && new Date(one).getDate() === new Date(other).getDate();
}
