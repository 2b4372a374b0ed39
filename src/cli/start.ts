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
    const layers = await engine.commands.layers();
    const boxed = layers.find(({ name }) => name === 'bubblewrap');
    if (boxed?.active) return '; commands: sandboxed by bubblewrap';
    return `; commands: NOT confined by the system (${boxed?.why}); --sandbox require offers none unless they are`;
  } catch (error) {
    if (error instanceof EngineFailure && error.facts.kind === 'no-sandbox') {
      return `; commands: none offered (${error.facts.reason})`;
    }
    throw error;
  }
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

/**
 * What clients are to be told, and where the page is. A new token is shown, this once; one that the operator
 * has set is not.
 */
export function clientConfigs(served: string, newToken: string | undefined, hasPage: boolean): string {
  const token = newToken ?? '<COFFERDAM_TOKEN>';
  // Every address is listened on, but a client needs one.
  const url = served.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:');
  const headers = { Authorization: `Bearer ${token}` };
  const server = { type: 'http', url, headers };
  return [
    '',
    ...tokenLines(newToken),
    '',
    ...(hasPage
      ? ['Every call as it happens, and undo, in a browser:', `  ${pageAddress(url, newToken)}`, '']
      : []),
    'Claude Code:',
    `  claude mcp add --transport http cofferdam ${url} --header "Authorization: Bearer ${newToken ?? '$COFFERDAM_TOKEN'}"`,
    'Cursor (.cursor/mcp.json) and most others:',
    `  ${JSON.stringify({ mcpServers: { cofferdam: server } })}`,
    'VS Code (.vscode/mcp.json):',
    `  ${JSON.stringify({ servers: { cofferdam: server } })}`,
    'Codex (config.toml), with the token in its environment as COFFERDAM_TOKEN:',
    `  [mcp_servers.cofferdam]`,
    `  url = "${url}"`,
    `  bearer_token_env_var = "COFFERDAM_TOKEN"`,
    '',
    '',
  ].join('\n');
}

function tokenLines(newToken: string | undefined): string[] {
  if (newToken === undefined) return ['The token is the one that you have set as COFFERDAM_TOKEN.'];
  const kept = 'it ends with this server; set COFFERDAM_TOKEN or --token-file to keep one';
  return [`A new token, shown only now (${kept}):`, '', `  ${newToken}`];
}

/** The token stands behind the #, which no browser sends to anybody; without one the page asks for it. */
function pageAddress(url: string, token: string | undefined): string {
  const page = new URL('/', url).href;
  return token === undefined ? page : `${page}#token=${encodeURIComponent(token)}`;
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
