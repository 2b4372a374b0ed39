/** Reads what a URL chooses: the dialect by its path, and the workspace by `?workspace=DIR`. */
import type { Dialect, Session } from '../../dialects/dialect.ts';
import { EngineFailure } from '../../engine/index.ts';
import type { App } from '../mcp/app.ts';
import type { Refusal } from '../web/reply.ts';

const ROOT = '/mcp';
const WELL_KNOWN = /\/(?:\.|%2e)well-known(?:\/|$)/i;

export function isWellKnown(path: string): boolean {
  return WELL_KNOWN.test(path);
}

/** The dialects by path: `/mcp` is the first dialect, and each has `/mcp/<dialect>`. */
export function pathsOf(dialects: readonly Dialect[]): Map<string, Dialect> {
  const paths = new Map(dialects.map((dialect) => [`${ROOT}/${dialect.name}`, dialect]));
  return paths.set(ROOT, dialects[0]!);
}

/** The workspace that the URL names. Refuses one that would have no effect, since the client relies on it. */
export function workspaceIn(query: string, dialect: Dialect): { workspace: string | undefined } | Refusal {
  const named = new URLSearchParams(query).getAll('workspace');
  if (named.length === 0) return { workspace: undefined };
  if (!dialect.choosesWorkspace)
    return {
      status: 400,
      message: `The dialect ${dialect.name} has no workspace to choose: leave ?workspace= out`,
    };
  if (named.length > 1) return { status: 400, message: 'The URL names more than one workspace' };
  return { workspace: named[0]! };
}

/** The session state of a client whose URL names its workspace; the caller ends it. */
export async function fixedWorkspace({ engine }: App, path: string): Promise<Session | Refusal> {
  try {
    return { workspace: await engine.within(path), workspaceIsFixed: true };
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    const served = engine.roots.map((root) => root.path).join(', ');
    const message = `The workspace in the URL is not a directory inside the served directories: ${served}`;
    return { status: 404, message };
  }
}
