/** The directory that one client's session works in. set_workspace chooses it, and every other tool needs it. */
import { type Arrival, type Engine, fail } from '../../engine/index.ts';
import type { Session, ToolContext } from '../dialect.ts';

/** A running call that chooses a workspace. */
interface PendingChoice {
  /** When the call arrived. */
  arrival: Arrival | undefined;
  /** Resolves when the choice is made or has failed. Never rejects. */
  made: Promise<void>;
}

/** Calls that arrive after a choice wait for it, and earlier calls do not, so none works in the wrong directory. */
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

/** The running choices of calls that arrived before this one, or all of them if its arrival is unknown. */
function earlierChoices({ session, caller: { arrival } }: ToolContext): PendingChoice[] {
  const underWay = choices.get(session);
  if (!underWay || underWay.size === 0) return [];
  if (!arrival) return [...underWay];
  return [...underWay].filter((choice) => choice.arrival && choice.arrival.number < arrival.number);
}

/** Lets a client choose only the workspace that its address names, under any name of that directory. */
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
  // `within` has waited for earlier calls to begin, so one of them may be choosing only now.
  const before = caller.arrival ? earlierChoices(context) : earlier;
  await Promise.all(before.map(({ made }) => made));
  const left = session.workspace;
  session.workspace = chosen;
  // close() waits for the calls that still run there.
  void left?.close();
  return chosen;
}

/** A tool must start its one operation before it awaits anything else, or the workspace may be closed by then. */
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
