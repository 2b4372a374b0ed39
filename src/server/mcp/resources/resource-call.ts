/** A request about resources, and the path that a URI names. */
import { type Engine, isWithin } from '../../../engine/index.ts';
import type { App } from '../app.ts';
import type { Params } from '../messages/json-rpc.ts';
import { pathOf } from './file-uri.ts';

export interface ResourceCall {
  app: App;
  /** The engine for this caller, over the directories that the client may use. */
  engine: Engine;
  params: Params;
  signal: AbortSignal;
}

/** The params of a request are invalid; the message says why, in one line. */
export class BadParams extends Error {}

/** The path of the resource that a request names. */
export async function requestedPath({ engine, params }: ResourceCall): Promise<string> {
  const { uri } = params;
  if (typeof uri !== 'string') throw new BadParams('uri must be a string');
  return pathIn(engine, uri);
}

/**
 * The path of a URI, which should be absolute. People and models still write `file:///src/a.ts` for a file in a served
 * directory: so a path outside all directories is tried relative to each of them.
 */
export async function pathIn(engine: Engine, uri: string): Promise<string> {
  const path = pathOf(uri);
  if (path === undefined) throw new BadParams('uri must be that of a file: file:///…');
  const { roots } = engine;
  if (roots.some((root) => isWithin(path, root.path) || isWithin(path, root.real))) return path;
  for (const root of roots) {
    const inside = pathBelow(root.path, path.slice(1));
    if (await engine.files.peek(inside)) return inside;
  }
  return path;
}

/** The path of an entry below a directory, which may be `/`. */
export function pathBelow(directory: string, path: string): string {
  return `${directory === '/' ? '' : directory}/${path}`;
}
