/** Formats an event as one line for people, in columns that fit the terminal. */
import { type Colour, paint as painted } from '../../display/colour.ts';
import { localTime } from '../../display/local-time.ts';
import { columnsOf, fitted, plain } from '../../display/plain-text.ts';
import type { How, TracedPath, TraceEvent } from './event.ts';

export interface LineStyle {
  /** The line is cut to this many columns. Default: it is not cut. */
  width?: number | undefined;
  colour: boolean;
}

interface Column {
  text: string;
  paint?: Colour | undefined;
}

/** The width of each column. A column without a width is left out. */
interface Layout {
  time?: number;
  who?: number;
  tool: number;
  outcome: number;
  took?: number;
  bytes?: number;
  tokens?: number;
  /** Whether a text that does not fit its column is cut. */
  cut: boolean;
}

const PIPED: Layout = { time: 14, who: 13, tool: 24, outcome: 20, took: 8, bytes: 7, tokens: 7, cut: false };
const WIDE: Layout = { time: 14, who: 9, tool: 19, outcome: 12, took: 7, bytes: 6, tokens: 6, cut: true };
/** The narrower the terminal, the fewer columns, so that paths have room: the date, bytes and tokens go first. */
const NARROW: Layout = { time: 8, who: 9, tool: 16, outcome: 11, took: 7, cut: true };
const NARROWER: Layout = { time: 8, tool: 16, outcome: 11, cut: true };
const NARROWEST: Layout = { tool: 10, outcome: 9, cut: true };

function layoutOf(width: number | undefined): Layout {
  if (width === undefined) return PIPED;
  if (width >= 120) return WIDE;
  if (width >= 100) return NARROW;
  return width >= 60 ? NARROWER : NARROWEST;
}

export function headLine(style: LineStyle): string {
  const { time, who, tool, outcome, took, bytes, tokens } = layoutOf(style.width);
  const titles = [
    ...(time === undefined ? [] : ['time'.padEnd(time)]),
    ...(who === undefined ? [] : ['who'.padEnd(who)]),
    'tool'.padEnd(tool),
    'outcome'.padEnd(outcome),
    ...(took === undefined ? [] : ['took'.padStart(took)]),
    ...(bytes === undefined ? [] : ['bytes'.padStart(bytes)]),
    ...(tokens === undefined ? [] : ['tokens'.padStart(tokens)]),
    'paths',
  ];
  return joined([{ text: titles.join('  '), paint: 'dim' }], style);
}

export function eventLine(event: TraceEvent, style: LineStyle): string {
  const layout = layoutOf(style.width);
  const cell = (text: string, width: number) => padded(layout.cut ? fitted(text, width) : text, width);
  const failed = event.outcome === 'failed';
  const columns: Column[] = [];
  if (layout.time) columns.push({ text: localTime(event.at).slice(-layout.time), paint: 'dim' });
  if (layout.who) columns.push({ text: cell(whoOf(event, layout.who), layout.who) });
  columns.push({ text: cell(plain(event.tool), layout.tool), paint: 'bold' });
  columns.push({
    text: cell(failed ? plain(event.error ?? 'failed') : 'ok', layout.outcome),
    paint: failed ? 'red' : 'green',
  });
  if (layout.took) columns.push({ text: durationOf(event.ms).padStart(layout.took) });
  if (layout.bytes) columns.push({ text: sizeOf(event.bytesOut).padStart(layout.bytes), paint: 'dim' });
  if (layout.tokens) {
    columns.push({ text: `≈${countOf(event.tokensOut)}`.padStart(layout.tokens), paint: 'dim' });
  }
  const spaced = columns.flatMap((column) => [column, { text: '  ' }]);
  return joined([...spaced, ...detailsOf(event)], style);
}

function detailsOf(event: TraceEvent): Column[] {
  const details = event.paths.map(
    (touched): Column => ({ text: pathOf(touched, event.roots), paint: paintOf(touched.how) }),
  );
  if (event.morePaths) details.push({ text: `and ${event.morePaths} more` });
  if (event.flags) details.push({ text: event.flags.map(plain).join(' '), paint: 'red' });
  if (event.confinement)
    details.push({ text: `[${event.confinement.map(plain).join(' ') || 'no confinement'}]`, paint: 'dim' });
  if (event.confined === false) details.push({ text: 'NOT confined' });
  if (event.note !== undefined) details.push({ text: `(${plain(event.note)})` });
  if (event.entries) details.push({ text: `undo: ${event.entries.map(plain).join(' ')}`, paint: 'dim' });
  return details.flatMap((detail, at) => (at === 0 ? [detail] : [{ text: ', ' }, detail]));
}

function pathOf({ path, how, links }: TracedPath, roots: readonly string[]): string {
  const names = links !== undefined && links > 1 ? ` (${links} names)` : '';
  return `${plain(how)} ${plain(relative(path, roots))}${names}`;
}

/** The path below the served directory; the whole path when several are served, to tell them apart. */
function relative(path: string, roots: readonly string[]): string {
  const [root] = roots;
  if (root === undefined || roots.length > 1) return path;
  if (path === root) return '.';
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function paintOf(how: How): Colour | undefined {
  if (how === 'refused') return 'red';
  const changes: How[] = ['created', 'changed', 'removed', 'moved-from', 'moved-to'];
  return changes.includes(how) ? 'yellow' : undefined;
}

function joined(columns: readonly Column[], { width = Number.POSITIVE_INFINITY, colour }: LineStyle): string {
  let left = width;
  let line = '';
  for (const { text, paint } of columns) {
    if (left <= 0) break;
    const cut = fitted(text, left);
    left = cut === text ? left - columnsOf(text) : 0;
    line += colour && paint ? painted(cut, paint) : cut;
  }
  return line.trimEnd();
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columnsOf(text)));
}

/** Who called, with enough of the session's id to tell sessions apart. */
function whoOf({ who, session }: TraceEvent, width: number): string {
  const short = session === undefined ? '' : plain(session.slice(0, 4));
  if (who === undefined) return short || '-';
  return short ? `${fitted(plain(who), Math.max(width - short.length - 1, 1))}/${short}` : plain(who);
}

function durationOf(ms: number): string {
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  if (ms < 1000) return `${ms.toFixed(0)} ms`;
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${short(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${short(bytes / 1e6)} MB` : `${short(bytes / 1e9)} GB`;
}

function countOf(count: number): string {
  if (count < 10_000) return String(count);
  return count < 1e6 ? `${short(count / 1e3)}k` : `${short(count / 1e6)}M`;
}

function short(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
