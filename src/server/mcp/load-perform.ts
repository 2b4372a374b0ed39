/** Loads the code that runs calls when the first call arrives, in separate turns of the event loop. */
import type { Session } from '../../dialects/dialect.ts';
import { nextTurn } from '../../engine/index.ts';
import type { perform, ToolCall } from './perform.ts';
import { sessionIdOf } from './session-state.ts';

export type Perform = (call: ToolCall) => ReturnType<typeof perform>;

/** Our code and Node's cryptography each take long to load: each gets its own turn, apart from the work of a call. */
export async function loadPerform(state: Session): Promise<Perform> {
  const loaded = await import('./perform.ts');
  await nextTurn();
  // The first id needs Node's cryptography.
  sessionIdOf(state);
  await nextTurn();
  return loaded.perform;
}
