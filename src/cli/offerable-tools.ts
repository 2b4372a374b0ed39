/** Which command tools a server can offer: those that can succeed with the sandbox that there is. */
import type { Dialect } from '../dialects/dialect.ts';
import { type Engine, EngineFailure } from '../engine/index.ts';
import type { App } from '../server/mcp/app.ts';

export interface SandboxNeed {
  /** With `--sandbox require` and no sandbox, the server offers no tool that starts programs. */
  required: boolean;
  /** Whether to look for the sandbox in any case. */
  probe?: boolean;
}

/** Where nothing may be changed, a program that could write runs only in a sandbox: look first whether there is one. */
export async function withOfferableTools<A extends App>(
  app: A,
  { required, probe = false }: SandboxNeed,
): Promise<A> {
  if (required) {
    try {
      await app.engine.commands.sandbox();
    } catch (error) {
      return withoutCommands(app, error);
    }
  }
  const { engine, dialects } = app;
  const writes = dialects.some(({ tools }) =>
    tools.some((tool) => tool.startsPrograms && !tool.hints.readOnly),
  );
  if (!writes || (!probe && engine.roots.some(({ writable }) => writable))) return app;
  return { ...app, commandsConfined: await areCommandsConfined(engine) };
}

function withoutCommands<A extends App>(app: A, error: unknown): A {
  if (!isNoSandbox(error)) throw error;
  app.log(`no command tools are offered: ${error.facts.reason}`);
  const safe = (dialect: Dialect) => ({
    ...dialect,
    tools: dialect.tools.filter((tool) => !tool.startsPrograms),
  });
  return { ...app, dialects: app.dialects.map(safe) };
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
