/** Which command tools a server can offer: those that can succeed with the sandbox that there is. */
import type { Tool } from '../../../dialects/dialect.ts';
import { withTools } from '../../../dialects/with-tools.ts';
import { type CommandSettings, type Engine, EngineFailure } from '../../../engine/index.ts';
import type { App } from '../app.ts';

/** Why no command runs without a sandbox while files are withheld. */
export const COULD_READ = 'files are denied or hidden here, and without a sandbox commands could read them';

export interface SandboxNeed {
  mode: CommandSettings['sandbox'];
  /** Whether to look for the sandbox in any case. */
  probe?: boolean;
}

/** Where nothing may be changed, a program that could write runs only in a sandbox: look first whether there is one. */
export async function withOfferableTools<A extends App>(
  app: A,
  { mode, probe = false }: SandboxNeed,
): Promise<A> {
  const required = mode === 'require';
  // Then the server offers no tool that starts programs where there is no sandbox.
  if (required) {
    try {
      await app.engine.commands.sandbox();
    } catch (error) {
      if (!isNoSandbox(error)) throw error;
      return withoutCommands(app, error.facts.reason);
    }
  }
  if (mode !== 'off' && needsSandbox(app) && !(await areCommandsConfined(app.engine))) {
    app.log('run_command is not offered: no sandbox works here (--sandbox off does without one)');
    return withOfferableTools(
      withoutTools(app, ({ needsAllowRun }) => needsAllowRun),
      { mode, probe },
    );
  }
  const { engine, dialects } = app;
  const starts = dialects.some(({ tools }) => tools.some((tool) => tool.startsPrograms));
  if (starts && engine.withholds !== undefined && !(await areCommandsConfined(engine))) {
    return withoutCommands(app, COULD_READ);
  }
  const writes = dialects.some(({ tools }) =>
    tools.some((tool) => tool.startsPrograms && !tool.hints.readOnly),
  );
  if (!writes || (!probe && engine.roots.some(({ writable }) => writable))) return app;
  return { ...app, commandsConfined: await areCommandsConfined(engine) };
}

function withoutCommands<A extends App>(app: A, reason: string): A {
  app.log(`no command tools are offered: ${reason}`);
  return withoutTools(app, ({ startsPrograms }) => startsPrograms);
}

function withoutTools<A extends App>(app: A, isLeftOut: (tool: Tool) => boolean): A {
  return { ...app, dialects: app.dialects.map((each) => withTools(each, (tool) => !isLeftOut(tool))) };
}

export function needsSandbox({ dialects }: App): boolean {
  return dialects.some(({ tools }) => tools.some(({ needsAllowRun }) => needsAllowRun));
}

export async function areCommandsConfined(engine: Engine): Promise<boolean> {
  try {
    return (await engine.commands.sandbox()).kind === 'bubblewrap';
  } catch (error) {
    if (isNoSandbox(error)) return false;
    throw error;
  }
}

/** Whether commands fail because a sandbox is required and there is none. */
export function isNoSandbox(error: unknown): error is EngineFailure & { facts: { reason: string } } {
  return error instanceof EngineFailure && error.facts.kind === 'no-sandbox';
}
