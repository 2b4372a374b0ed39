/** What is said at the start: in one line what is served and how well it is protected, or why it is not. */
import type { Dialect } from '../dialects/dialect.ts';
import { type Engine, EngineFailure, type RootInfo } from '../engine/index.ts';
import type { App } from '../server/mcp/app.ts';
import type { HttpSettings } from '../server/start-http.ts';
import { isLoopback } from '../server/web/host-and-origin.ts';

/** What is offered, where, and what protects it. */
export function describeStart({ version, dialects, engine }: App, commands: string, journal: string): string {
  const changes = engine.roots.some(({ writable }) => writable) ? `; changes: ${journal}` : '';
  const served = describeServed(dialects, engine.roots);
  return `${version}, ${served}; wall: ${engine.protection.says}${commands}${changes}`;
}

/** Which dialect serves which directories. */
function describeServed(dialects: readonly Dialect[], roots: readonly RootInfo[]): string {
  const [first, ...others] = roots.map(({ path, writable }) => (writable ? path : `${path} (read-only)`));
  const on = (some: readonly Dialect[], paths: readonly (string | undefined)[]) =>
    some.length === 0 ? [] : [`${some.map(({ name }) => name).join(', ')} on ${paths.join(', ')}`];
  if (others.length === 0) return on(dialects, [first]).join('');
  return [
    ...on(
      dialects.filter(({ servesOne }) => !servesOne),
      [first, ...others],
    ),
    ...on(
      dialects.filter(({ servesOne }) => servesOne),
      [first],
    ),
  ].join('; ');
}

/** How commands are confined, in plain words; nothing when no tool runs any. */
export async function describeCommands({ dialects, engine }: App): Promise<string> {
  if (!dialects.some(({ tools }) => tools.some((tool) => tool.startsPrograms))) return '';
  try {
    const sandbox = await engine.commands.sandbox();
    if (sandbox.kind === 'bubblewrap') return '; commands: sandboxed by bubblewrap';
    if (sandbox.kind === 'failing') return `; commands: REFUSED until the sandbox works (${sandbox.why})`;
    return `; commands: ${notConfined(sandbox.why)}; --sandbox require offers none unless they are`;
  } catch (error) {
    if (error instanceof EngineFailure && error.facts.kind === 'no-sandbox') {
      return `; commands: none offered (${error.facts.reason})`;
    }
    throw error;
  }
}

/** For the operator: what it means that nothing confines commands. */
export function notConfined(why: string): string {
  return `NOT confined by the system (${why}): they can do what this user can do`;
}

/**
 * With `--sandbox require` and no sandbox, the tools that start programs are not offered at all. Where nothing may be
 * changed, a program that could write runs only inside one, so whether there is one has to be known first.
 */
export async function offerable<A extends App>(app: A, required: boolean, look = false): Promise<A> {
  if (required) {
    try {
      await app.engine.commands.layers();
    } catch (error) {
      return withoutCommands(app, error);
    }
  }
  const { engine, dialects } = app;
  const writes = dialects.some(({ tools }) =>
    tools.some((tool) => tool.startsPrograms && !tool.hints.readOnly),
  );
  if (!writes || (!look && engine.roots.some(({ writable }) => writable))) return app;
  return { ...app, commandsConfined: await areCommandsConfined(engine) };
}

function withoutCommands<A extends App>(app: A, error: unknown): A {
  if (!(error instanceof EngineFailure) || error.facts.kind !== 'no-sandbox') throw error;
  app.log(`no command tools are offered: ${error.facts.reason}`);
  const safe = (dialect: Dialect) => ({
    ...dialect,
    tools: dialect.tools.filter((tool) => !tool.startsPrograms),
  });
  return { ...app, dialects: app.dialects.map(safe) };
}

export async function areCommandsConfined(engine: Engine): Promise<boolean> {
  try {
    const layers = await engine.commands.layers();
    return layers.some(({ name, active }) => name === 'bubblewrap' && active);
  } catch (error) {
    if (error instanceof EngineFailure && error.facts.kind === 'no-sandbox') return false;
    throw error;
  }
}

/** Where it is served over HTTP, and a warning when others can listen. */
export function describeHttp({ dialects }: App, { host, tls }: HttpSettings, url: string): string[] {
  const paths = dialects.map(({ name }) => `${new URL(url).pathname}/${name}`).join(', ');
  const where = `serving ${url} (${dialects[0]!.name}); by name: ${paths}`;
  if (tls || isLoopback(host)) return [where];
  return [
    where,
    `warning: ${host} is reached from other machines, and without TLS anybody on the way can read the token and the files: give --tls-cert and --tls-key, or put a proxy with TLS in front`,
  ];
}
