/** The directory that one client's session works in: set by set_workspace, needed by every other tool. */
import { type Engine, fail } from '../../engine/index.ts';
import type { Session, ToolContext } from '../dialect.ts';

/** Choices in progress. Later calls of the session wait for them, so that none works in the wrong directory. */
const choosing = new WeakMap<Session, Promise<unknown>>();

export async function chooseWorkspace({ engine, session }: ToolContext, path: string): Promise<Engine> {
  if (session.workspaceIsFixed) return requireFixed(engine, session.workspace!, path);
  const mine = replaceWorkspace(engine, session, path, choosing.get(session));
  const settled = mine.then(
    () => {},
    () => {},
  );
  choosing.set(session, settled);
  try {
    return await mine;
  } finally {
    if (choosing.get(session) === settled) choosing.delete(session);
  }
}

/** A client may choose the workspace that its address names, under any of that directory's names. */
async function requireFixed(engine: Engine, fixed: Engine, path: string): Promise<Engine> {
  const asked = await engine.within(path);
  const isSame = asked.roots[0]!.path === fixed.roots[0]!.path;
  void asked.close();
  return isSame ? fixed : fail({ kind: 'outside', path });
}

async function replaceWorkspace(
  engine: Engine,
  session: Session,
  path: string,
  earlier: Promise<unknown> | undefined,
): Promise<Engine> {
  await earlier;
  const chosen = await engine.within(path);
  const left = session.workspace;
  session.workspace = chosen;
  // close() waits for the calls that still run there.
  void left?.close();
  return chosen;
}

/** A tool must start its one operation before it waits for anything else: then the workspace stays open for it. */
export async function inWorkspace<T>(
  { session, caller }: ToolContext,
  use: (workspace: Engine) => Promise<T>,
): Promise<T> {
  const pending = choosing.get(session);
  if (pending) await pending;
  if (session.workspace === undefined) fail({ kind: 'no-workspace' });
  return use(session.workspace.as(caller));
}
