/** The directory that one client's session works in: set by set_workspace, needed by every other tool. */
import { type Arrival, type Engine, fail } from '../../engine/index.ts';
import type { Session, ToolContext } from '../dialect.ts';

/** A choice of a workspace that is under way. */
interface PendingChoice {
  /** When its call came. */
  arrival: Arrival | undefined;
  /** Never rejects. */
  made: Promise<void>;
}

/** Later calls of the session wait for a choice, and earlier ones do not, so that none works in the wrong directory. */
const choices = new WeakMap<Session, Set<PendingChoice>>();

export async function chooseWorkspace(context: ToolContext, path: string): Promise<Engine> {
  const { engine, session, caller } = context;
  if (session.workspaceIsFixed) return requireFixed(engine, session.workspace!, path);
  const choosing = replaceWorkspace(context, path, earlierChoices(context));
  const made = choosing.then(
    () => {},
    () => {},
  );
  const choice = { arrival: caller.arrival, made };
  const underWay = choices.get(session) ?? new Set();
  choices.set(session, underWay.add(choice));
  try {
    return await choosing;
  } finally {
    underWay.delete(choice);
  }
}

/** The choices of calls that came before this one; where its time of arrival is unknown, all that are under way. */
function earlierChoices({ session, caller: { arrival } }: ToolContext): PendingChoice[] {
  const underWay = choices.get(session);
  if (!underWay || underWay.size === 0) return [];
  if (!arrival) return [...underWay];
  return [...underWay].filter((choice) => choice.arrival && choice.arrival.number < arrival.number);
}

/** A client may choose the workspace that its address names, under any of that directory's names. */
async function requireFixed(engine: Engine, fixed: Engine, path: string): Promise<Engine> {
  const asked = await engine.within(path);
  const isSame = asked.roots[0]!.path === fixed.roots[0]!.path;
  void asked.close();
  return isSame ? fixed : fail({ kind: 'outside', path });
}

async function replaceWorkspace(
  context: ToolContext,
  path: string,
  earlier: readonly PendingChoice[],
): Promise<Engine> {
  const { engine, session, caller } = context;
  const chosen = await engine.within(path);
  // A call that came before may have begun to choose only now: until it did, `within` has waited for it.
  const before = caller.arrival ? earlierChoices(context) : earlier;
  await Promise.all(before.map(({ made }) => made));
  const left = session.workspace;
  session.workspace = chosen;
  // close() waits for the calls that still run there.
  void left?.close();
  return chosen;
}

/** A tool must start its one operation before it waits for anything else: then the workspace stays open for it. */
export async function inWorkspace<T>(
  context: ToolContext,
  use: (workspace: Engine) => Promise<T>,
): Promise<T> {
  const { session, caller } = context;
  const earlier = earlierChoices(context);
  if (earlier.length > 0) await Promise.all(earlier.map(({ made }) => made));
  if (session.workspace === undefined) fail({ kind: 'no-workspace' });
  return use(session.workspace.as(caller));
}
