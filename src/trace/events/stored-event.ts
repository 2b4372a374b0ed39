/** How events are stored: checks that a stored value is an event, and shortens events that are too long. */
import { truncate } from '../../display/truncate.ts';
import type { LogOptions } from '../../state/log.ts';
import type { SharedPaths } from '../../state/state.ts';
import type { Brief, TracedPath, TraceEvent } from './event.ts';

/** The size in bytes of the longest event, as JSON. */
const LONGEST_EVENT = 64 * 1024;

/** How many paths an event may name. */
export const MOST_PATHS = 50;

/** Ever shorter versions of an event: it loses paths beyond the limit first, then contents, more paths, the brief. */
function* shorterVersions(event: TraceEvent): Generator<TraceEvent> {
  yield withPaths(event, MOST_PATHS);
  for (const length of [4096, 1024, 256]) {
    yield withPaths(withContents(event, length), MOST_PATHS);
  }
  const { arguments: _arguments, answer: _answer, ...bare } = event;
  for (const count of [MOST_PATHS, 25, 10, 5, 2, 1, 0]) yield withPaths(bare, count);
  const { brief: _brief, ...barer } = bare;
  yield withPaths(barer, 0);
  yield shortest(event);
}

function withPaths(event: TraceEvent, count: number): TraceEvent {
  const left = event.paths.length - count;
  if (left <= 0) return event;
  return { ...event, paths: event.paths.slice(0, count), morePaths: (event.morePaths ?? 0) + left };
}

function withContents(event: TraceEvent, length: number): TraceEvent {
  const { arguments: args, answer, ...rest } = event;
  return {
    ...rest,
    ...(args !== undefined && { arguments: truncate(args, length) }),
    ...(answer !== undefined && { answer: truncate(answer, length) }),
  };
}

/** The last version, for an event with a single field that is too long. */
function shortest(event: TraceEvent): TraceEvent {
  const { id, at, server, session, who, dialect, tool, outcome, error, ms } = event;
  const { bytesIn, bytesOut, tokensOut } = event;
  const short = (text: string) => truncate(text, 200);
  return {
    id: short(id),
    at,
    server: short(server),
    roots: event.roots.slice(0, 10).map(short),
    ...(session !== undefined && { session: short(session) }),
    ...(who !== undefined && { who: short(who) }),
    dialect: short(dialect),
    tool: short(tool),
    paths: [],
    morePaths: event.paths.length + (event.morePaths ?? 0),
    outcome,
    ...(error !== undefined && { error: short(error) }),
    ms,
    bytesIn,
    bytesOut,
    tokensOut,
  };
}

/** The last time that a `Date` can hold. */
const LAST_MOMENT = 8.64e15;

function eventOf(value: unknown): TraceEvent | undefined {
  return isEvent(value) ? value : undefined;
}

function isEvent(value: unknown): value is TraceEvent {
  if (typeof value !== 'object' || value === null) return false;
  const event = value as Record<keyof TraceEvent, unknown>;
  return (
    [event.id, event.server, event.dialect, event.tool].every(isText) &&
    [event.session, event.who, event.error, event.reason, event.note].every(isTextOrNone) &&
    [event.arguments, event.answer].every(isTextOrNone) &&
    (event.brief === undefined || isBrief(event.brief)) &&
    [event.at, event.ms, event.bytesIn, event.bytesOut, event.tokensOut].every(isNumber) &&
    Math.abs(event.at as number) <= LAST_MOMENT &&
    (event.morePaths === undefined || isNumber(event.morePaths)) &&
    (event.outcome === 'ok' || event.outcome === 'failed') &&
    isTexts(event.roots) &&
    (event.confinement === undefined || isTexts(event.confinement)) &&
    (event.confined === undefined || typeof event.confined === 'boolean') &&
    (event.flags === undefined || isTexts(event.flags)) &&
    (event.entries === undefined || isTexts(event.entries)) &&
    Array.isArray(event.paths) &&
    event.paths.every(isTracedPath)
  );
}

function isTracedPath(value: unknown): value is TracedPath {
  if (typeof value !== 'object' || value === null) return false;
  const { path, how, bytes, links } = value as Record<keyof TracedPath, unknown>;
  return (
    isText(path) &&
    isText(how) &&
    (bytes === undefined || isNumber(bytes)) &&
    (links === undefined || isNumber(links))
  );
}

function isBrief(value: unknown): value is Brief {
  return typeof value === 'object' && value !== null && Object.values(value).every(isBriefValue);
}

function isBriefValue(value: unknown): boolean {
  if (isText(value) || isNumber(value) || typeof value === 'boolean' || isTexts(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { characters, items } = value as { characters?: unknown; items?: unknown };
  return isNumber(characters) || isNumber(items);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || isText(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

/** How the trace's log stores events: where other machines read them, with paths that all machines understand. */
export function traceLogOptions(paths: SharedPaths | undefined): LogOptions<TraceEvent> {
  if (!paths) return eventRecords;
  return {
    ...eventRecords,
    toStored: (event) => withSharedPaths(event, (path) => paths.toShared(path)),
    accept: (value) => {
      const event = eventOf(value);
      return event && withSharedPaths(event, (path) => paths.fromShared(path));
    },
  };
}

function withSharedPaths(event: TraceEvent, rename: (path: string) => string): TraceEvent {
  const paths = event.paths.map((each) => ({ ...each, path: rename(each.path) }));
  return { ...event, roots: event.roots.map(rename), paths };
}

export const eventRecords = {
  accept: eventOf,
  longest: LONGEST_EVENT,
  shorten: shorterVersions,
  opening: '{"id":',
  /** An event is written when its call ends. */
  appendedAt: ({ at, ms }: TraceEvent) => at + ms,
} satisfies LogOptions<TraceEvent>;
