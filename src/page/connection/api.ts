/** The page's requests to its server. The page sends the token once; after that the browser sends a cookie. */
import {
  type About,
  CURSOR_HEADER,
  type EntryDetails,
  type PageEvent,
  type PageUndoOutcome,
  type UndoneEntries,
} from '../wire.ts';
import { LineReader, type Message, MessageReader } from './stream-readers.ts';

export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type FullEvent = PageEvent & { arguments?: string; answer?: string };

/** How many lines to parse before the page may draw again. */
const LINES_AT_ONCE = 5000;

export async function openSession(token: string): Promise<void> {
  await ask('session', { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
}

export async function endSession(): Promise<void> {
  await ask('session', { method: 'DELETE' });
}

export async function about(): Promise<About> {
  return (await ask('about')).json();
}

export async function entryDetails(id: string): Promise<EntryDetails> {
  return (await ask(`entries/${encodeURIComponent(id)}`)).json();
}

export async function undoneEntries(): Promise<string[]> {
  const { undone } = (await (await ask('undone')).json()) as UndoneEntries;
  return undone;
}

export async function fullEvent(id: string): Promise<FullEvent> {
  return (await ask(`events/${encodeURIComponent(id)}`)).json();
}

export async function undo(id: string, force: boolean): Promise<PageUndoOutcome> {
  const response = await ask(`entries/${encodeURIComponent(id)}/undo`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ force }),
  });
  return response.json();
}

/** Passes on all stored events as they arrive; returns the cursor for the live stream. */
export async function storedEvents(
  onEvents: (events: PageEvent[]) => void,
  signal: AbortSignal,
): Promise<string> {
  const response = await ask('events', { signal });
  const lines = new LineReader();
  let waiting: string[] = [];
  const give = () => {
    onEvents(waiting.map((line) => JSON.parse(line) as PageEvent));
    waiting = [];
  };
  for await (const piece of textOf(response)) {
    waiting.push(...lines.push(piece));
    if (waiting.length >= LINES_AT_ONCE) give();
  }
  waiting.push(...lines.end());
  give();
  return response.headers.get(CURSOR_HEADER) ?? '';
}

/** The messages of the live stream after a cursor, until either side ends it. */
export async function* liveMessages(cursor: string, signal: AbortSignal): AsyncGenerator<Message> {
  const response = await ask(`live?after=${encodeURIComponent(cursor)}`, { signal });
  const messages = new MessageReader();
  for await (const piece of textOf(response)) yield* messages.push(piece);
}

async function* textOf(response: Response): AsyncGenerator<string> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`/page/${path}`, { credentials: 'same-origin', cache: 'no-store', ...init });
  if (response.ok) return response;
  throw new ApiError(response.status, await whyNot(response));
}

async function whyNot(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error?: { message?: string } };
    return error?.message ?? response.statusText;
  } catch {
    return response.statusText;
  }
}
