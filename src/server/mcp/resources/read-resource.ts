/** `resources/read`: text as text within the budget, a directory as a listing, anything else as a blob. */
import { type Engine, EngineFailure, fileMimeType, type TextPart } from '../../../engine/index.ts';
import type { App } from '../app.ts';
import { offeredTools } from '../offered-tools.ts';
import { type ResourceCall, requestedPath } from './resource-call.ts';

/** As base64 it must fit into one answer. */
const MAX_BLOB_BYTES = 5 * 1024 * 1024;
const USUAL_TOKENS = 20_000;
const BYTES_A_TOKEN = 4;
/** What the last line takes besides the path in it. */
const NOTE_BYTES = 200;

const DIRECTORY = 'inode/directory';

interface Contents {
  mimeType: string;
  text?: string;
  blob?: string;
}

export async function readResource(call: ResourceCall): Promise<object> {
  const path = await requestedPath(call);
  const { type } = await call.engine.files.info(path);
  const contents = type === 'directory' ? await listing(call, path) : await fileContents(call, path);
  return { contents: [{ uri: call.params.uri, ...contents }] };
}

async function fileContents({ app, engine, signal }: ResourceCall, path: string): Promise<Contents> {
  try {
    const part = await engine.files.readPart(path, { maxBytes: budget(app, path), signal });
    return { mimeType: fileMimeType(path) ?? 'text/plain', text: textOf(app, path, part) };
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind !== 'not-text') throw error;
  }
  const { bytes, mimeType } = await engine.files.read(path, { limit: MAX_BLOB_BYTES, signal });
  return { mimeType, blob: bytes.toString('base64') };
}

function textOf(app: App, path: string, part: TextPart): string {
  const { text, from, to, totalLines, goesOnAt } = part;
  if (goesOnAt) {
    const next = nextCall(app, 'read_text_file', { path, offset: to, column: goesOnAt.column });
    const characters = `characters 1-${goesOnAt.column - 1} of ${grouped(goesOnAt.length)}`;
    return `${text}\n[line ${to}, ${characters}${next}]`;
  }
  if (to >= totalLines) return text;
  const next = nextCall(app, 'read_text_file', { path, offset: to + 1 });
  return `${text}[lines ${from}-${to} of ${grouped(totalLines)}${next}]`;
}

async function listing({ app, engine, signal }: ResourceCall, path: string): Promise<Contents> {
  const lines = await linesOf(engine, path, signal);
  let room = budget(app, path);
  let shown = 0;
  for (const line of lines) {
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) break;
    shown++;
  }
  const text = lines.slice(0, shown).join('\n');
  if (shown === lines.length) return { mimeType: DIRECTORY, text };
  const next = nextCall(app, 'list_directory', { path, offset: shown });
  return {
    mimeType: DIRECTORY,
    text: `${text}\n[entries 1-${shown} of ${grouped(lines.length)}${next}]`,
  };
}

async function linesOf(engine: Engine, path: string, signal: AbortSignal): Promise<string[]> {
  const entries = await engine.files.list(path, { signal });
  return entries.map(({ name, target }) => `${target === 'directory' ? '[DIR]' : '[FILE]'} ${name}`);
}

/** In bytes, for what comes before the note. */
function budget({ maxTokens = USUAL_TOKENS }: App, path: string): number {
  return Math.max(1, maxTokens * BYTES_A_TOKEN - NOTE_BYTES - Buffer.byteLength(path));
}

/** The call that goes on, where its tool is offered. */
function nextCall(app: App, tool: string, args: object): string {
  const isOffered = offeredTools(app).shown.some(({ name }) => name === tool);
  return isOffered ? `; next: ${tool} ${JSON.stringify(args)}` : '';
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
