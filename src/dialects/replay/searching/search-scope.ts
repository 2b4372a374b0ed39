/** What replay's search tools share: where a search starts, what it leaves out, and how the found paths are shown. */
import { resolve } from 'node:path';
import { fail, mapInTurns, requireFewGlobs, Yielder } from '../../../engine/index.ts';
import { expandHome } from '../../../expand-home.ts';
import { type ToolContext, type ToolResult, text } from '../../dialect.ts';
import { onOneLine } from '../../results/one-line.ts';
import { listThatFits } from '../../results/result-size.ts';

const SEARCH_MS = 30_000;

/** The absolute path where a search starts; a relative one starts at the first allowed directory. */
export async function startOf(
  sent: string,
  { engine, home }: ToolContext,
): Promise<{ path: string; isDirectory: boolean }> {
  const path = expandHome(sent, home);
  const { type, path: real } = await engine.files.info(path);
  // Only the disk knows where a `..` after a link leads.
  const shown = path.split('/').includes('..') ? real : resolve(engine.roots[0]!.path, path);
  return { path: shown, isDirectory: type === 'directory' };
}

export async function startDirectory(sent: string, context: ToolContext): Promise<string> {
  const { path, isDirectory } = await startOf(sent, context);
  if (!isDirectory) fail({ kind: 'not-a-directory', path: sent });
  return path;
}

export function homeExpanded(globs: readonly string[] | undefined, { home }: ToolContext): string[] {
  requireFewGlobs(globs);
  return (globs ?? []).map((glob) => expandHome(glob, home));
}

/** The exclusions of a call, as globs relative to the directory. */
export function exclusionsIn(
  directory: string,
  globs: readonly string[] | undefined,
  context: ToolContext,
): string[] {
  return context.engine.search.exclusions(directory, homeExpanded(globs, context));
}

export function searchCall({ signal, progress }: ToolContext) {
  return {
    signal,
    timeoutMs: SEARCH_MS,
    onProgress: ({ files, matches }: { files: number; matches: number }) =>
      progress(files, `${files} files searched, ${matches} matches`),
  };
}

export function unreadableNote(count: number): string[] {
  return count === 0 ? [] : [`[${count} unreadable path(s) skipped]`];
}

export interface FoundPaths {
  paths: string[];
  skippedUnreadable: number;
}

/** The paths, one per line, then each note as an item of its own. */
export async function pathsResult(
  { paths, skippedUnreadable }: FoundPaths,
  { notes = [], ...list }: Parameters<typeof listThatFits>[1] & { notes?: string[] },
): Promise<ToolResult> {
  const lines = (await listThatFits(paths, list)) || '(no matches found)';
  return { content: [lines, ...notes, ...unreadableNote(skippedUnreadable)].map(text) };
}

/** The full paths of the entries, each on one line whatever its name holds. */
export function pathsBelow(
  directory: string,
  entries: readonly { path: string }[],
  { signal }: ToolContext,
): Promise<string[]> {
  const start = directory === '/' ? '' : directory;
  return mapInTurns(entries, new Yielder(signal), ({ path }) => onOneLine(`${start}/${path}`));
}
