/** Every fact about MCP clients. `npm run docs` writes docs/clients/ and the README's install sections from it. */
import type { Client, ConfigFolder, Platform, ServerCommand, ServerEntry } from './client.ts';

const platforms = ['linux', 'darwin', 'win32'] as const satisfies readonly Platform[];

function everywhere(folder: ConfigFolder): Record<Platform, ConfigFolder> {
  return Object.fromEntries(platforms.map((platform) => [platform, folder])) as Record<
    Platform,
    ConfigFolder
  >;
}

/** The entry of most clients. */
function commandAndArgs(_name: string, { command, args }: ServerCommand): ServerEntry {
  return { command, args };
}

function typedCommand(_name: string, { command, args }: ServerCommand): ServerEntry {
  return { type: 'stdio', command, args };
}

const claudeDesktopFile = ['claude_desktop_config.json'];

export const clients: readonly Client[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    format: 'json',
    user: everywhere({ path: '~', variable: 'CLAUDE_CONFIG_DIR', names: ['.claude.json'] }),
    project: ['.mcp.json'],
    keys: ['mcpServers'],
    // The same entry as its own command writes.
    entry: (name, launch) => ({ ...typedCommand(name, launch), env: {} }),
    addCommand: (name, { command, args }, scope) => [
      'claude',
      'mcp',
      'add',
      '--scope',
      scope,
      name,
      '--',
      command,
      ...args,
    ],
    programs: ['claude'],
    see: 'Start `claude` again. `claude mcp list` and `/mcp` show the server.',
    notes:
      'Claude Code asks once before it uses a server from a `.mcp.json`. End a running Claude Code before you change `~/.claude.json`: it writes that file, too.',
    docs: 'https://code.claude.com/docs/en/mcp',
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    format: 'json',
    user: {
      linux: { path: '$XDG_CONFIG_HOME/Claude', names: claudeDesktopFile },
      darwin: { path: '~/Library/Application Support/Claude', names: claudeDesktopFile },
      win32: { path: '%APPDATA%/Claude', names: claudeDesktopFile },
    },
    keys: ['mcpServers'],
    entry: commandAndArgs,
    programs: ['claude-desktop'],
    see: 'Quit Claude Desktop and start it again (closing the window is not enough). Settings → Developer lists the server and its log.',
    docs: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    user: everywhere({ path: '~/.cursor', names: ['mcp.json'] }),
    project: ['.cursor/mcp.json'],
    keys: ['mcpServers'],
    entry: commandAndArgs,
    link: (name, launch) => `cursor://anysphere.cursor-deeplink/mcp/install?${cursorQuery(name, launch)}`,
    webLink: (name, launch) => `https://cursor.com/en/install-mcp?${cursorQuery(name, launch)}`,
    programs: ['cursor'],
    see: 'Restart Cursor. Cursor Settings → MCP lists the server and its tools.',
    docs: 'https://cursor.com/docs/mcp',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    format: 'json',
    user: {
      linux: { path: '$XDG_CONFIG_HOME/Code/User', names: ['mcp.json'] },
      darwin: { path: '~/Library/Application Support/Code/User', names: ['mcp.json'] },
      win32: { path: '%APPDATA%/Code/User', names: ['mcp.json'] },
    },
    project: ['.vscode/mcp.json'],
    keys: ['servers'],
    entry: typedCommand,
    addCommand: (name, { command, args }, scope) =>
      scope === 'user' ? ['code', '--add-mcp', JSON.stringify({ name, command, args })] : undefined,
    link: (name, { command, args }) =>
      `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, command, args }))}`,
    webLink: (name, launch) =>
      `https://insiders.vscode.dev/redirect/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(JSON.stringify(launch))}`,
    programs: ['code'],
    see: 'Run `MCP: List Servers` from the command palette, choose the server and start it. The chat in agent mode then has its tools.',
    notes:
      'Other profiles than the default one have a `mcp.json` of their own: `MCP: Open User Configuration` opens it.',
    docs: 'https://code.visualstudio.com/docs/copilot/chat/mcp-servers',
  },
  {
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    user: everywhere({ path: '~/.codex', variable: 'CODEX_HOME', names: ['config.toml'] }),
    project: ['.codex/config.toml'],
    keys: ['mcp_servers'],
    entry: commandAndArgs,
    addCommand: (name, { command, args }, scope) =>
      scope === 'user' ? ['codex', 'mcp', 'add', name, '--', command, ...args] : undefined,
    programs: ['codex'],
    see: 'Start Codex again. `codex mcp list` and `/mcp` show the server.',
    notes: 'Codex reads `.codex/config.toml` of a project only after you have trusted the project.',
    docs: 'https://developers.openai.com/codex/mcp',
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    format: 'json',
    user: everywhere({ path: '~/.gemini', names: ['settings.json'] }),
    project: ['.gemini/settings.json'],
    keys: ['mcpServers'],
    entry: commandAndArgs,
    // Before the `--`, Gemini CLI would take options of the server for its own.
    addCommand: (name, { command, args }, scope) => [
      'gemini',
      'mcp',
      'add',
      '--scope',
      scope,
      name,
      command,
      '--',
      ...args,
    ],
    programs: ['gemini'],
    see: 'Start Gemini CLI again. `gemini mcp list` and `/mcp` show the server.',
    notes: 'Gemini CLI starts no server in a folder that you have not trusted.',
    docs: 'https://geminicli.com/docs/tools/mcp-server/',
  },
  {
    id: 'zed',
    name: 'Zed',
    format: 'json',
    user: {
      linux: { path: '$XDG_CONFIG_HOME/zed', names: ['settings.json'] },
      darwin: { path: '~/.config/zed', names: ['settings.json'] },
      win32: { path: '%APPDATA%/Zed', names: ['settings.json'] },
    },
    project: ['.zed/settings.json'],
    keys: ['context_servers'],
    entry: commandAndArgs,
    programs: ['zed', 'zeditor'],
    see: 'Zed loads the file as soon as it is saved. The settings of the agent list the server; a green dot means that it runs.',
    docs: 'https://zed.dev/docs/ai/mcp',
  },
  {
    id: 'goose',
    name: 'Goose',
    format: 'yaml',
    user: {
      linux: { path: '$XDG_CONFIG_HOME/goose', names: ['config.yaml'] },
      darwin: { path: '~/.config/goose', names: ['config.yaml'] },
      win32: { path: '%APPDATA%/Block/goose/config', names: ['config.yaml'] },
    },
    keys: ['extensions'],
    entry: (name, { command, args }) => ({
      ...{ enabled: true, type: 'stdio', name, description: 'Files, search, edits and undo' },
      ...{ cmd: command, args, envs: {}, timeout: 300 },
    }),
    programs: ['goose'],
    see: 'Start a new session. `goose info -v` shows the extension, and the desktop app lists it under Extensions.',
    docs: 'https://block.github.io/goose/docs/getting-started/using-extensions',
  },
  {
    id: 'opencode',
    name: 'opencode',
    format: 'json',
    user: everywhere({
      path: '$XDG_CONFIG_HOME/opencode',
      names: ['opencode.jsonc', 'opencode.json'],
    }),
    project: ['opencode.jsonc', 'opencode.json'],
    keys: ['mcp'],
    entry: (_name, { command, args }) => ({ type: 'local', command: [command, ...args] }),
    addCommand: (name, { command, args }, scope) =>
      scope === 'user' ? ['opencode', 'mcp', 'add', name, '--', command, ...args] : undefined,
    programs: ['opencode'],
    see: 'Start opencode again. `opencode mcp list` shows the server.',
    notes: 'This is the file of opencode 1. Version 2 looks for its servers under `mcp.servers`.',
    docs: 'https://opencode.ai/docs/mcp-servers',
  },
];

function cursorQuery(name: string, launch: ServerCommand): string {
  const config = Buffer.from(JSON.stringify(launch)).toString('base64');
  return `name=${encodeURIComponent(name)}&config=${encodeURIComponent(config)}`;
}

export function clientNamed(id: string): Client | undefined {
  return clients.find((client) => client.id === id);
}
