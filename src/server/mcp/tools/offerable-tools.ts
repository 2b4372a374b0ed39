/** Decides which command tools a server can offer: those that can succeed with the available sandbox. */
import type { Tool } from '../../../dialects/dialect.ts';
import { withTools } from '../../../dialects/with-tools.ts';
import { type CommandSettings, type Engine, EngineFailure } from '../../../engine/index.ts';
import type { App } from '../app.ts';

/** The reason for the log when files are withheld and there is no sandbox. */
export const COULD_READ = 'files are denied or hidden here, and without a sandbox commands could read them';

export interface SandboxNeed {
  mode: CommandSettings['sandbox'];
  /** Whether to look for the sandbox even if directories are writable. */
  probe?: boolean;
}

/** Leaves out command tools that could only fail. On a read-only server, a program that could write needs a sandbox. */
export async function withOfferableTools<A extends App>(
  app: A,
  { mode, probe = false }: SandboxNeed,
): Promise<A> {
  const required = mode === 'require';
  // Without the sandbox that it requires, the server offers no tool that starts programs.
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

/** Whether this is the failure of a required sandbox that is not available. */
export function isNoSandbox(error: unknown): error is EngineFailure & { facts: { reason: string } } {
  return error instanceof EngineFailure && error.facts.kind === 'no-sandbox';
}
