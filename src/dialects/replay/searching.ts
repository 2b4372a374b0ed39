/** What replay's searching tools share: where a search starts and how its notes read. */
import { resolve } from 'node:path';
import type { ToolContext } from '../dialect.ts';
import { expandHome } from './paths.ts';

export const SEARCH_MS = 30_000;

/** A directory as results show it: absolute; relative ones are taken from the first allowed directory. */
export function absoluteDirectory(directory: string, { engine, home }: ToolContext): string {
  return resolve(engine.roots[0]!.path, expandHome(directory, home));
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

export function below(directory: string, path: string): string {
  return `${directory === '/' ? '' : directory}/${path}`;
}
