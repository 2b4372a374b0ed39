/** What is said at the start: in one line what is served and how well it is protected, or why it is not. */
import type { Dialect } from '../dialects/dialect.ts';
import { EngineFailure, type Failure } from '../engine/index.ts';
import type { App } from '../server/app.ts';
import { isLoopback } from '../server/http/front-door.ts';
import type { HttpRequest } from '../server/http/start.ts';

/** What is offered, where, and what protects it. */
export function describeStart({ version, dialects, engine }: App, commands: string, journal: string): string {
  const names = dialects.map((dialect) => dialect.name).join(', ');
  const roots = engine.roots
    .map(({ path, writable }) => (writable ? path : `${path} (read-only)`))
    .join(', ');
  const changes = engine.roots.some(({ writable }) => writable) ? `; changes: ${journal}` : '';
  return `${version}, ${names} on ${roots}; wall: ${engine.protection.says}${commands}${changes}`;
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

/** With `--sandbox require` and no sandbox, the tools that start programs are not offered at all. */
export async function withoutUnsafeCommands<A extends App>(app: A, required: boolean): Promise<A> {
  if (!required) return app;
  try {
    await app.engine.commands.layers();
    return app;
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind !== 'no-sandbox') throw error;
    app.log(`no command tools are offered: ${error.facts.reason}`);
    const safe = (dialect: Dialect) => ({
      ...dialect,
      tools: dialect.tools.filter((tool) => !tool.startsPrograms),
    });
    return { ...app, dialects: app.dialects.map(safe) };
  }
}

/** Where it is served over HTTP, and a warning when others can listen. */
export function describeHttp({ dialects }: App, { host, tls }: HttpRequest, url: string): string[] {
  const paths = dialects.map(({ name }) => `${new URL(url).pathname}/${name}`).join(', ');
  const where = `serving ${url} (${dialects[0]!.name}); by name: ${paths}`;
  if (tls || isLoopback(host)) return [where];
  return [
    where,
    `warning: ${host} is reached from other machines, and without TLS anybody on the way can read the token and the files: give --tls-cert and --tls-key, or put a proxy with TLS in front`,
  ];
}

/** Why a directory that was given cannot be served. */
export function whyNotServed(facts: Failure): string {
  switch (facts.kind) {
    case 'not-found':
      return `${facts.path}: no such directory`;
    case 'not-a-directory':
      return `${facts.path}: not a directory`;
    case 'permission':
      return `${facts.path}: cannot be read by this user`;
    default:
      return 'path' in facts ? `${facts.path}: cannot be opened (${facts.kind})` : facts.kind;
  }
}
