/**
 * Every option of the command line, described once: the parser, the check that an option fits the command, and the
 * help texts all come from here. A new flag says in `for` which commands take it.
 */
import type { CommandName } from './commands.ts';

export interface Flag {
  name: string;
  /** One letter that means the same. */
  short?: string;
  /** What stands for the value in the help; a flag without one is a switch. */
  value?: string;
  /** May be given more than once. */
  repeatable?: boolean;
  /** The commands that take it; `serve` is the one without a name. */
  for: readonly CommandName[] | 'every command';
  help: string;
}

/** The commands that serve directories until they are ended. */
const SERVERS = ['serve', 'start'] as const satisfies readonly CommandName[];
/** The commands that let tools work on directories. */
const WORKERS = [...SERVERS, 'call'] as const;
/** The commands that read what a server has kept. */
const READERS = [
  'history',
  'diff',
  'undo',
  'redo',
  'forget',
  'trace',
] as const satisfies readonly CommandName[];

export const flags = [
  {
    name: 'dialect',
    value: 'NAME[,NAME…]',
    repeatable: true,
    for: [...WORKERS, 'tools', 'doctor'],
    help: 'which tools to offer, see below; where two dialects share a name, the first one named gets it',
  },
  {
    name: 'errors',
    value: 'protocol|results',
    for: WORKERS,
    help: "how replay's and repo's errors arrive: as JSON-RPC errors (the default), or as results with isError",
  },
  { name: 'read-only', for: [...WORKERS, 'tools', 'doctor'], help: 'no tool can change anything' },
  {
    name: 'allow-git-config',
    for: [...WORKERS, 'doctor'],
    help: "tools and commands may change Git's configuration and hooks, from which Git runs programs",
  },
  {
    name: 'sandbox',
    value: 'auto|require|off',
    for: [...WORKERS, 'doctor'],
    help: 'bubblewrap around commands: where it works (auto, the default), always or no command tools, never',
  },
  {
    name: 'allow-net',
    for: [...WORKERS, 'doctor'],
    help: 'commands in the sandbox may use the network',
  },
  {
    name: 'allow-command',
    value: 'NAME',
    repeatable: true,
    for: [...WORKERS, 'doctor'],
    help: "one more program that workspace's run_command may run",
  },
  {
    name: 'env',
    value: 'NAME',
    repeatable: true,
    for: [...WORKERS, 'doctor'],
    help: 'a variable of this environment that commands get to see',
  },
  {
    name: 'http',
    value: '[HOST:]PORT[-PORT]',
    for: [...SERVERS, 'trace'],
    help: 'serve over HTTP at /mcp and /mcp/DIALECT, on the first port that is free; only for this machine unless a HOST is given',
  },
  {
    name: 'token-file',
    value: 'FILE',
    for: SERVERS,
    help: 'with --http: who may come in, a line each: name token read-only|read-write|DIALECT,… [one-client]; read again on SIGHUP',
  },
  {
    name: 'new-token',
    for: SERVERS,
    help: 'with --http: make a new token in place of the stored one, unless COFFERDAM_TOKEN is set, and print it, terminal or not',
  },
  { name: 'tls-cert', value: 'FILE', for: SERVERS, help: 'with --http: the certificate (PEM), for HTTPS' },
  { name: 'tls-key', value: 'FILE', for: SERVERS, help: 'with --http: its key (PEM)' },
  {
    name: 'http-calls',
    value: 'N',
    for: SERVERS,
    help: 'with --http: how many calls of one token may be under way or wait their turn (1024 unless told)',
  },
  {
    name: 'http-body',
    value: 'SIZE',
    for: SERVERS,
    help: 'with --http: how large the body of one request may be (4MiB unless told, at most 256MiB)',
  },
  {
    name: 'allow-host',
    value: 'NAME',
    repeatable: true,
    for: SERVERS,
    help: 'with --http: one more name under which clients reach this server',
  },
  {
    name: 'allow-origin',
    value: 'URL',
    repeatable: true,
    for: SERVERS,
    help: 'with --http: a web page that may use this server',
  },
  {
    name: 'state',
    value: 'DIR',
    for: [...WORKERS, ...READERS, 'doctor'],
    help: 'where the journal and the trace are kept (default: $XDG_STATE_HOME/cofferdam, ~/.local/state/cofferdam)',
  },
  {
    name: 'keep',
    value: 'DAYS|SIZE',
    repeatable: true,
    for: WORKERS,
    help: 'how much of the journal to keep: 30d and 1GiB unless told; a change that is larger by itself is refused',
  },
  {
    name: 'no-journal',
    for: [...WORKERS, 'doctor'],
    help: 'keep no journal: changes cannot be undone',
  },
  {
    name: 'trace-contents',
    for: WORKERS,
    help: 'the trace holds the arguments and answers of calls too',
  },
  {
    name: 'since',
    value: 'TIME',
    for: ['history', 'undo'],
    help: 'from then on, as 10m, 1h30m, 14:30, yesterday or a date',
  },
  {
    name: 'force',
    for: ['undo', 'redo'],
    help: 'also when a file was changed since; both versions are kept',
  },
  { name: 'all', for: ['forget'], help: 'every content that is kept' },
  { name: 'dry-run', for: ['forget'], help: 'tell what would go, and change nothing' },
  { name: 'follow', for: ['trace'], help: 'go on as calls come in' },
  { name: 'tool', value: 'NAME', for: ['trace'], help: 'only calls of this tool' },
  { name: 'path', value: 'TEXT', for: ['trace'], help: 'only calls that touched a path with this in it' },
  { name: 'failed', for: ['trace'], help: 'only calls that failed, or were refused something' },
  { name: 'limit', value: 'N', for: ['trace', 'history'], help: 'the newest N' },
  {
    name: 'web',
    for: ['trace'],
    help: 'as a page, on a free port of this machine (--http PORT chooses one)',
  },
  { name: 'json', for: ['tools', 'history', 'trace'], help: 'as JSON' },
  { name: 'explain', for: ['call'], help: 'tell on stderr how the call was done' },
  { name: 'version', short: 'v', for: 'every command', help: 'print the version' },
  { name: 'help', short: 'h', for: 'every command', help: 'print the help of a command, or this' },
] as const satisfies readonly Flag[];

export type FlagName = (typeof flags)[number]['name'];

const all: readonly Flag[] = flags;

/** The flags that a command takes, in the order of the help. */
export function flagsOf(command: CommandName): Flag[] {
  return all.filter((flag) => takes(command, flag));
}

export function takes(command: CommandName, flag: Flag): boolean {
  return flag.for === 'every command' || flag.for.includes(command);
}

/** As it stands in the help: `--limit N`. */
export function flagText({ name, short, value }: Flag): string {
  return `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
}
