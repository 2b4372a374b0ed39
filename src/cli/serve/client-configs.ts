/** Texts to paste into clients, and the address of the page, which a server prints at the start if a user watches. */

import type { RootInfo } from '../../engine/index.ts';
import type { ClientConfig } from '../../server/page/sources.ts';
import type { StoredToken } from '../../server/web/tokens/stored-token.ts';
import type { ServerCommand } from '../clients/client.ts';
import { addCommandLine } from '../clients/entry-text.ts';
import { clientNamed } from '../clients/table.ts';

/** The configurations for clients that start the server themselves: they need no token and no running server. */
export function stdioConfigs(roots: readonly RootInfo[], launch: ServerCommand): string {
  return [
    '',
    'Serving:',
    ...roots.map((root) => `  ${root.path} ${rightsText(root)}`),
    '',
    'Paste this into a client on this machine, which then starts a server of its own (Claude Desktop, Cursor and',
    'most others):',
    `  ${entryLine('cursor', launch)}`,
    'VS Code (.vscode/mcp.json):',
    `  ${entryLine('vscode', launch)}`,
    'Claude Code:',
    `  ${addCommandLine(clientNamed('claude-code')!, NAME, launch, 'user')}`,
    'cofferdam init CLIENT DIR --write does this for you; cofferdam init lists the clients that it knows.',
    '',
    'Or connect over HTTP, for as long as this server runs.',
    '',
  ].join('\n');
}

/** The same configurations for the Tool Trace page, which shows them before the first call. */
export function pageConfigs(launch: ServerCommand): ClientConfig[] {
  const claudeCode = clientNamed('claude-code')!;
  return [
    { name: claudeCode.name, text: addCommandLine(claudeCode, NAME, launch, 'user')! },
    { name: 'Claude Desktop, Cursor and most others', text: entryLine('cursor', launch) },
    { name: 'VS Code (.vscode/mcp.json)', text: entryLine('vscode', launch) },
  ];
}

const NAME = 'cofferdam';

function entryLine(id: string, launch: ServerCommand): string {
  const { keys, entry } = clientNamed(id)!;
  return JSON.stringify({ [keys[0]!]: { [NAME]: entry(NAME, launch) } });
}

function rightsText({ writable }: RootInfo): string {
  return writable
    ? '(read-write: clients can change and delete files here; --read-only lets them read only)'
    : '(read-only)';
}

/** The arguments with which another server serves the same directories, from any working directory. */
export function directoryArguments(roots: readonly Pick<RootInfo, 'path' | 'writable'>[]): string[] {
  return roots.map(({ path, writable }) => {
    // Without the slash, /a/b:ro would mean the directory /a/b, read-only.
    const plain = path.endsWith(':ro') ? `${path}/` : path;
    return writable ? plain : `${plain}:ro`;
  });
}

/** Shows the token that the server made itself, but never one that the operator set. */
export function httpConfigs(served: string, kept: StoredToken | undefined, hasPage: boolean): string {
  const token = kept?.token ?? '<COFFERDAM_TOKEN>';
  // The server listens on every address, but a client needs one.
  const url = served.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:');
  const headers = { Authorization: `Bearer ${token}` };
  const server = { type: 'http', url, headers };
  return [
    '',
    ...tokenLines(kept),
    '',
    ...(hasPage
      ? ['Every call as it happens, and undo, in a browser:', `  ${pageAddress(url, kept?.token)}`, '']
      : []),
    'Claude Code:',
    `  claude mcp add --transport http cofferdam ${url} --header "Authorization: Bearer ${kept?.token ?? '$COFFERDAM_TOKEN'}"`,
    'Cursor (.cursor/mcp.json) and most others:',
    `  ${JSON.stringify({ mcpServers: { cofferdam: server } })}`,
    'VS Code (.vscode/mcp.json):',
    `  ${JSON.stringify({ servers: { cofferdam: server } })}`,
    'Codex (config.toml), with the token in its environment as COFFERDAM_TOKEN:',
    '  [mcp_servers.cofferdam]',
    `  url = "${url}"`,
    '  bearer_token_env_var = "COFFERDAM_TOKEN"',
    '',
    '',
  ].join('\n');
}

function tokenLines(kept: StoredToken | undefined): string[] {
  if (!kept) return ['The token is the one that you have set as COFFERDAM_TOKEN.'];
  return [`${tokenText(kept)}:`, '', `  ${kept.token}`];
}

function tokenText({ file, isNew }: StoredToken): string {
  if (file === undefined)
    return 'A token that ends with this server (set COFFERDAM_TOKEN or --token-file to have one that stays)';
  return isNew
    ? `A new token, kept in ${file} for the next start`
    : `The token that is kept in ${file} (--new-token makes another)`;
}

/** The token comes after the #, which browsers never send. Without a token the page asks for it. */
function pageAddress(url: string, token: string | undefined): string {
  const page = new URL('/', url).href;
  return token === undefined ? page : `${page}#token=${encodeURIComponent(token)}`;
}
