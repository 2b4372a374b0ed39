/** Writes the start-up lines: what the server serves, and what protects it. */
import type { Dialect } from '../../dialects/dialect.ts';
import { grouped } from '../../display/grouped.ts';
import { limits, type RootInfo } from '../../engine/index.ts';
import type { App } from '../../server/mcp/app.ts';
import { isNoSandbox } from '../../server/mcp/tools/offerable-tools.ts';
import type { HttpSettings } from '../../server/start-http.ts';
import { isLoopback } from '../../server/web/host-and-origin.ts';

/** What the server offers, where, and what protects it. */
export function describeStart({ version, dialects, engine }: App, commands: string, journal: string): string {
  const changes = engine.roots.some(({ writable }) => writable) ? `; changes: ${journal}` : '';
  const byCommands = changes && engine.keepsChanges && commands ? `; ${describeWatch()}` : '';
  const served = describeServed(dialects, engine.roots);
  return `${version}, ${served}; wall: ${engine.protection.says}${commands}${changes}${byCommands}`;
}

/** Which changes by commands the journal finds. */
function describeWatch(): string {
  return `what commands change, up to ${grouped(limits.watchedEntries)} entries, not in .git and node_modules`;
}

/** Which dialect serves which directories. */
function describeServed(dialects: readonly Dialect[], roots: readonly RootInfo[]): string {
  const [first, ...others] = roots.map(({ path, writable }) => (writable ? path : `${path} (read-only)`));
  const on = (some: readonly Dialect[], paths: readonly (string | undefined)[]) =>
    some.length === 0 ? [] : [`${some.map(({ name }) => name).join(', ')} on ${paths.join(', ')}`];
  if (others.length === 0) return on(dialects, [first ?? 'the roots of the client']).join('');
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

/** How commands are confined, in plain words. Empty when no tool starts any. */
export async function describeCommands({ dialects, engine }: App): Promise<string> {
  if (!dialects.some(({ tools }) => tools.some((tool) => tool.startsPrograms))) return '';
  try {
    const sandbox = await engine.commands.sandbox();
    if (sandbox.kind === 'bubblewrap') return '; commands: sandboxed by bubblewrap';
    if (sandbox.kind === 'failing') return `; commands: REFUSED until the sandbox works (${sandbox.why})`;
    return `; commands: ${notConfined(sandbox.why)}; --sandbox require offers none unless they are`;
  } catch (error) {
    if (!isNoSandbox(error)) throw error;
    return `; commands: none offered (${error.facts.reason})`;
  }
}

/** Says what it means that nothing confines commands. */
export function notConfined(why: string): string {
  return `NOT confined by the system (${why}): they can do what this user can do`;
}

/** The addresses over HTTP, and a warning when others on the network could listen. */
export function describeHttp({ dialects }: App, { host, tls }: HttpSettings, url: string): string[] {
  const paths = dialects.map(({ name }) => `${new URL(url).pathname}/${name}`).join(', ');
  const where = `serving ${url} (${dialects[0]!.name}); by name: ${paths}`;
  if (tls || isLoopback(host)) return [where];
  return [
    where,
    `warning: other machines can reach ${host}, and without TLS anybody on the way can read the token and the files: give --tls-cert and --tls-key, or put a proxy with TLS in front`,
  ];
}
