/** One request about resources, and what all of them share: whose it is, and where a URI leads. */
import type { Engine } from '../../../engine/index.ts';
import type { App } from '../app.ts';
import { pathOf } from './file-uri.ts';

export type Params = Readonly<Record<string, unknown>>;

export interface ResourceCall {
  app: App;
  /** Works for the caller, in the directories that this client gets. */
  engine: Engine;
  params: Params;
  signal: AbortSignal;
}

/** What is wrong with the params of a request, in one line. */
export class BadParams extends Error {}

/** The path of the resource that a request names. */
export async function requestedPath({ engine, params }: ResourceCall): Promise<string> {
  const { uri } = params;
  if (typeof uri !== 'string') throw new BadParams('uri must be a string');
  return pathIn(engine, uri);
}

/**
 * A URI is absolute. People and models write `file:///src/a.ts` for a file in the directories all the same: where the
 * absolute path lies outside, it is looked for in each directory in turn.
 */
export async function pathIn(engine: Engine, uri: string): Promise<string> {
  const path = pathOf(uri);
  if (path === undefined) throw new BadParams('uri must be that of a file: file:///…');
  const { roots } = engine;
  if (roots.some((root) => lies(path, root.path) || lies(path, root.real))) return path;
  for (const root of roots) {
    const inside = below(root.path, path.slice(1));
    if (await engine.files.peek(inside)) return inside;
  }
  return path;
}

/** Whether a path is this directory or one below it, as it is written. */
export function lies(path: string, directory: string): boolean {
  return path === directory || path.startsWith(below(directory, ''));
}

export function below(directory: string, path: string): string {
  return `${directory === '/' ? '' : directory}/${path}`;
}
