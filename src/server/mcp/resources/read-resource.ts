/** Answers `resources/read`: text as text within the budget, a directory as a listing, anything else as a blob. */

import { nextCall } from '../../../dialects/results/next-call.ts';
import { onOneLine } from '../../../dialects/results/one-line.ts';
import { budgetOf, pageOf, partNote } from '../../../dialects/results/token-budget.ts';
import {
  type Engine,
  EngineFailure,
  fileMimeType,
  mapInTurns,
  type TextPart,
  Yielder,
} from '../../../engine/index.ts';
import type { App } from '../app.ts';
import { offeredTools } from '../tools/offered-tools.ts';
import { CHANGE_VIEW } from '../views/client-views.ts';
import { readChangeView } from '../views/read-view.ts';
import { type ResourceCall, requestedPath } from './resource-call.ts';

/** The largest blob: as base64 it must fit into one answer. */
const MAX_BLOB_BYTES = 5 * 1024 * 1024;

const DIRECTORY = 'inode/directory';

interface ResourceContents {
  mimeType: string;
  text?: string;
  blob?: string;
}

export async function readResource(call: ResourceCall): Promise<object> {
  if (call.params.uri === CHANGE_VIEW) return readChangeView();
  const path = await requestedPath(call);
  const { type } = await call.engine.files.info(path);
  const contents = type === 'directory' ? await listing(call, path) : await fileContents(call, path);
  return { contents: [{ uri: call.params.uri, ...contents }] };
}

async function fileContents({ app, engine, signal }: ResourceCall, path: string): Promise<ResourceContents> {
  try {
    const part = await engine.files.readPart(path, { maxBytes: budgetOf(app, { path }), signal });
    return { mimeType: fileMimeType(path) ?? 'text/plain', text: textOf(app, path, part) };
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind !== 'not-text') throw error;
  }
  const { bytes, mimeType } = await engine.files.read(path, { limit: MAX_BLOB_BYTES, signal });
  return { mimeType, blob: bytes.toString('base64') };
}

function textOf(app: App, path: string, part: TextPart): string {
  const { text, from, to, totalLines, continuesAt } = part;
  if (continuesAt) {
    const { column, length } = continuesAt;
    const next = offeredCall(app, 'read_text_file', path, { offset: to, column });
    return `${text}\n${partNote(`line ${to}, characters 1-${column - 1}`, length, next)}`;
  }
  if (to >= totalLines) return text;
  const next = offeredCall(app, 'read_text_file', path, { offset: to + 1 });
  return `${text}${partNote(`lines ${from}-${to}`, totalLines, next)}`;
}

async function listing({ app, engine, signal }: ResourceCall, path: string): Promise<ResourceContents> {
  const lines = await linesOf(engine, path, signal);
  const page = pageOf(lines, 0, budgetOf(app, { path }));
  const next = offeredCall(app, 'list_directory', path, { offset: page.end });
  const note = page.isCut ? [partNote(`entries 1-${page.end}`, lines.length, next)] : [];
  return { mimeType: DIRECTORY, text: [...page.lines, ...note].join('\n') };
}

async function linesOf(engine: Engine, path: string, signal: AbortSignal): Promise<string[]> {
  const entries = await engine.files.list(path, { signal });
  return mapInTurns(
    entries,
    new Yielder(signal),
    ({ name, target }) => `${target === 'directory' ? '[DIR]' : '[FILE]'} ${onOneLine(name)}`,
  );
}

/** The call that reads the rest, if its tool is offered. */
function offeredCall(app: App, tool: string, path: string, more: object): string | undefined {
  const isOffered = offeredTools(app).shown.some(({ name }) => name === tool);
  return isOffered ? nextCall(tool, { path }, more, app) : undefined;
}
