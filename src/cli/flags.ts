/** Every option of the command line, described once: the parser and the help text both come from here. */
export interface Flag {
  name: string;
  /** What stands for the value in the help; a flag without one is a switch. */
  value?: string;
  /** May be given more than once. */
  repeatable?: boolean;
  help: string;
}

export const flags = [
  {
    name: 'dialect',
    value: 'NAME[,NAME…]',
    repeatable: true,
    help: 'which tools to offer, see below; the first one named wins a name that two of them use',
  },
  { name: 'read-only', help: 'no tool can change anything' },
  {
    name: 'sandbox',
    value: 'auto|require|off',
    help: 'bubblewrap around commands: where it works (auto, the default), always or no command tools, never',
  },
  { name: 'allow-net', help: 'commands in the sandbox may use the network' },
  {
    name: 'allow-command',
    value: 'NAME',
    repeatable: true,
    help: "one more program that workspace's run_command may run",
  },
  {
    name: 'env',
    value: 'NAME',
    repeatable: true,
    help: 'a variable of this environment that commands get to see',
  },
  {
    name: 'http',
    value: '[HOST:]PORT',
    help: 'serve over HTTP at /mcp and /mcp/DIALECT; only for this machine unless a HOST is given',
  },
  {
    name: 'token-file',
    value: 'FILE',
    help: 'with --http: who may come in, a line each: name token read-only|read-write|DIALECT,…; read again on SIGHUP',
  },
  {
    name: 'new-token',
    help: 'with --http: make a token for this run, unless COFFERDAM_TOKEN is set, and print it, terminal or not',
  },
  { name: 'tls-cert', value: 'FILE', help: 'with --http: the certificate (PEM), for HTTPS' },
  { name: 'tls-key', value: 'FILE', help: 'with --http: its key (PEM)' },
  {
    name: 'allow-host',
    value: 'NAME',
    repeatable: true,
    help: 'with --http: one more name under which this server is reached',
  },
  {
    name: 'allow-origin',
    value: 'URL',
    repeatable: true,
    help: 'with --http: a web page that may use this server',
  },
  {
    name: 'state',
    value: 'DIR',
    help: 'where the journal and the trace are kept (default: $XDG_STATE_HOME/cofferdam, ~/.local/state/cofferdam)',
  },
  {
    name: 'keep',
    value: 'DAYS|SIZE',
    repeatable: true,
    help: 'how much of the journal is kept: 30d and 1GiB unless told; never less than the last change of a file',
  },
  { name: 'no-journal', help: 'changes are not kept and cannot be undone' },
  { name: 'trace-contents', help: 'the trace holds the arguments and answers of calls too' },
  {
    name: 'since',
    value: 'TIME',
    help: 'with history and undo: from then on, as 10m, 1h30m, 14:30, yesterday or a date',
  },
  { name: 'force', help: 'with undo and redo: also when a file was changed since; both versions are kept' },
  { name: 'follow', help: 'with trace: go on as calls come in' },
  { name: 'tool', value: 'NAME', help: 'with trace: only calls of this tool' },
  { name: 'path', value: 'TEXT', help: 'with trace: only calls that touched a path with this in it' },
  { name: 'failed', help: 'with trace: only calls that failed, or were refused something' },
  { name: 'limit', value: 'N', help: 'with trace and history: the newest N' },
  { name: 'web', help: 'with trace: as a page, on a free port of this machine (--http PORT chooses one)' },
  { name: 'json', help: 'with tools, history and trace: as JSON' },
  { name: 'explain', help: 'with call: tell on stderr how the call was done' },
  { name: 'version', help: 'print the version' },
  { name: 'help', help: 'print this help' },
] as const satisfies readonly Flag[];

export type FlagName = (typeof flags)[number]['name'];

export const commands = [
  {
    usage: 'cofferdam [options] DIR[:ro] [DIR[:ro] …]',
    help: 'an MCP server on stdio for these directories',
  },
  {
    usage: 'cofferdam --http [HOST:]PORT [options] DIR…',
    help: 'the same over HTTP, with a token (COFFERDAM_TOKEN or --token-file)',
  },
  { usage: "cofferdam call TOOL 'JSON' [options] DIR…", help: 'one tool call; exit code 1 when it fails' },
  { usage: 'cofferdam tools [--dialect NAME] [--json]', help: 'the tools, their parameters and their cost' },
  { usage: 'cofferdam history [DIR] [--json]', help: 'what was changed, by which call, newest first' },
  { usage: 'cofferdam diff ENTRY', help: 'what one entry of the history changed' },
  {
    usage: 'cofferdam undo [ENTRY|DIR] [--since TIME]',
    help: 'puts back what an entry changed; the newest one unless told',
  },
  { usage: 'cofferdam redo [ENTRY]', help: 'takes an undo back' },
  {
    usage: 'cofferdam trace [--follow] [--web] …',
    help: 'every call: when, who, which tool and paths, how it went',
  },
  { usage: 'cofferdam doctor [DIR…]', help: 'which protections are active here, and what is missing' },
] as const;

export function helpText(dialects: readonly { name: string; summary: string }[], standard: string): string {
  const all: readonly Flag[] = flags;
  const options = all.map((flag): [string, string] => [
    `--${flag.name}${flag.value ? ` ${flag.value}` : ''}`,
    flag.help,
  ]);
  const names = dialects.map(({ name, summary }): [string, string] => [
    name,
    name === standard ? `${summary} (the default)` : summary,
  ]);
  return [
    'Cofferdam: file tools for an AI agent, behind a wall that holds.',
    '',
    'Usage:',
    ...columns(commands.map(({ usage, help }) => [usage, help])),
    '',
    'Options:',
    ...columns(options),
    '',
    'Dialects:',
    ...columns(names),
    '',
    'DIR:ro makes a directory read-only. Nothing outside the directories is ever touched.',
    '',
  ].join('\n');
}

export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}
