/**
 * Every option of the command line, described once. The parser, the check that an option fits the command, the help
 * texts and docs/CLI.md all use this table. A new flag says in `for` which commands take it.
 */
import type { CommandName } from '../commands.ts';

export interface Flag {
  name: string;
  /** One letter that means the same. */
  short?: string;
  /** The word for the value in the help. A flag without one is a switch. */
  value?: string;
  /** Whether it may be given more than once. */
  repeatable?: boolean;
  /** The commands that take it. `serve` is the command that users do not name. */
  for: readonly CommandName[] | 'every command';
  /** The only dialect that it affects. */
  dialect?: string;
  help: string;
  /** The help for commands where the flag means something else. */
  helpFor?: Partial<Record<CommandName, string>>;
}

/** The commands that serve directories until a signal ends them. */
const SERVERS: readonly CommandName[] = ['serve', 'start'];
/** The commands that let tools work on directories, and `init`, which writes down how a client starts such a server. */
const WORKERS: readonly CommandName[] = [...SERVERS, 'init', 'call'];
/** The commands that read the stored history or trace and serve nothing. */
const READERS: readonly CommandName[] = ['history', 'diff', 'undo', 'redo', 'forget', 'trace'];

export const flags: readonly Flag[] = [
  {
    name: 'dialect',
    value: 'NAME[,NAME…]',
    repeatable: true,
    for: [...WORKERS, 'tools', 'doctor'],
    help: 'which tools to offer; where two dialects have a tool of the same name, the first dialect gets the name',
  },
  {
    name: 'tools',
    value: 'NAME[,NAME…]',
    repeatable: true,
    for: [...WORKERS, 'tools', 'doctor'],
    help: 'offer only these tools',
  },
  {
    name: 'toolset',
    value: 'read|search|edit|all',
    repeatable: true,
    for: [...WORKERS, 'tools', 'doctor'],
    help: 'offer only these sets of the tools of the standard dialect; several with commas',
  },
  {
    name: 'max-tokens',
    value: 'N',
    for: WORKERS,
    dialect: 'standard',
    help: 'how long an answer of the standard dialect may be, in tokens of 4 bytes (default: 20000)',
  },
  {
    name: 'allow-run',
    for: [...WORKERS, 'tools', 'doctor'],
    dialect: 'standard',
    help: 'offer run_command of the standard dialect, where the sandbox works or --sandbox off is given',
  },
  {
    name: 'errors',
    value: 'protocol|results',
    for: WORKERS,
    help: 'send the errors of replay and repo as JSON-RPC errors (the default) or as results with isError',
  },
  {
    name: 'read-only',
    for: [...WORKERS, 'tools', 'doctor'],
    help: 'let no tool change anything; the variable COFFERDAM_READ_ONLY=true does the same',
  },
  {
    name: 'allow-git-config',
    for: [...WORKERS, 'doctor'],
    help: "let tools and commands change Git's configuration and hooks, from which Git runs programs",
  },
  {
    name: 'deny',
    value: 'GLOB',
    repeatable: true,
    for: [...WORKERS, 'doctor'],
    help: 'list these files and directories, but let no tool read, search, change, move or delete them; globs as in .gitignore, from each DIR; secrets stands for the usual names of keys and passwords',
  },
  {
    name: 'hide',
    value: 'GLOB',
    repeatable: true,
    for: [...WORKERS, 'doctor'],
    help: 'act as if these files and directories were not there, like those that a file .cofferdamignore in a DIR names',
  },
  {
    name: 'encoding',
    value: 'GLOB=NAME',
    repeatable: true,
    for: [...WORKERS, 'doctor', 'diff'],
    help: 'read and write these files in another encoding where they are not UTF-8, such as windows-1252, iso-8859-2, shift_jis, gbk, gb18030, big5, euc-kr, euc-jp or koi8-r (standard dialect); globs as in .gitignore, from each DIR; it wins over charset in an .editorconfig',
    helpFor: { diff: 'show these files in another encoding where they are not UTF-8' },
  },
  {
    name: 'sandbox',
    value: 'auto|require|off',
    for: [...WORKERS, 'doctor'],
    help: 'run commands in bubblewrap where it is installed (auto, the default), only in bubblewrap (require), or without it (off)',
  },
  {
    name: 'allow-net',
    for: [...WORKERS, 'doctor'],
    help: 'let commands in the sandbox use the network',
  },
  {
    name: 'allow-command',
    value: 'NAME',
    repeatable: true,
    for: [...WORKERS, 'doctor'],
    dialect: 'workspace',
    help: 'let run_command of the workspace dialect run this program too',
  },
  {
    name: 'env',
    value: 'NAME',
    repeatable: true,
    for: [...WORKERS, 'doctor'],
    help: 'pass this environment variable on to commands',
  },
  {
    name: 'client-roots',
    for: ['serve', 'init'],
    help: 'on stdio, without a DIR: serve the roots that the client names, if its version of the protocol has roots',
  },
  {
    name: 'http',
    value: '[HOST:]PORT[-PORT]',
    for: [...SERVERS, 'trace'],
    help: 'serve over HTTP at /mcp and /mcp/DIALECT, on the first free port; only this machine can connect unless you give a HOST',
    helpFor: { trace: 'with --web: the port of the page' },
  },
  {
    name: 'token-file',
    value: 'FILE',
    for: SERVERS,
    help: 'with --http: the tokens of clients, one line each: name token read-only|read-write|DIALECT,… [one-client]; SIGHUP reads the file again',
  },
  {
    name: 'new-token',
    for: SERVERS,
    help: 'with --http: replace the saved token and print the new one, even if stdout is not a terminal; COFFERDAM_TOKEN, if set, wins',
  },
  {
    name: 'oauth-issuer',
    value: 'URL',
    for: SERVERS,
    help: 'with --http: accept access tokens of this authorization server too; needs --public-url, see docs/OAUTH.md',
  },
  {
    name: 'public-url',
    value: 'URL',
    for: SERVERS,
    help: 'with --oauth-issuer: the address under which clients reach this server, such as https://files.example',
  },
  {
    name: 'oauth-audience',
    value: 'NAME',
    for: SERVERS,
    help: "with --oauth-issuer: the audience of the tokens (default: the endpoint's address)",
  },
  {
    name: 'oauth-scope-claim',
    value: 'NAME',
    for: SERVERS,
    help: 'with --oauth-issuer: the claim that holds the scopes (default: scope, or else scp)',
  },
  { name: 'tls-cert', value: 'FILE', for: SERVERS, help: 'with --http: the certificate for HTTPS (PEM)' },
  { name: 'tls-key', value: 'FILE', for: SERVERS, help: 'with --http: the key of the certificate (PEM)' },
  {
    name: 'http-calls',
    value: 'N',
    for: SERVERS,
    help: 'with --http: how many calls of one token may run or wait (default: 1024)',
  },
  {
    name: 'http-body',
    value: 'SIZE',
    for: SERVERS,
    help: 'with --http: how large one request may be (default: 4MiB, at most 256MiB)',
  },
  {
    name: 'allow-host',
    value: 'NAME',
    repeatable: true,
    for: SERVERS,
    help: 'with --http: another host name that clients use for this server',
  },
  {
    name: 'allow-origin',
    value: 'URL',
    repeatable: true,
    for: SERVERS,
    help: 'with --http: let web pages of this origin use the server',
  },
  {
    name: 'state',
    value: 'DIR|postgres://…',
    for: [...WORKERS, ...READERS, 'doctor'],
    help: 'the directory of the journal and the trace (default: $XDG_STATE_HOME/cofferdam, or ~/.local/state/cofferdam), or the database of a fleet, see docs/FLEET.md',
  },
  {
    name: 'state-file',
    value: 'FILE',
    for: [...WORKERS, ...READERS, 'doctor'],
    help: 'a file with the address of the database, which no other user may read; the variable COFFERDAM_STATE does the same',
  },
  {
    name: 'keep',
    value: 'DAYS|SIZE',
    repeatable: true,
    for: WORKERS,
    help: 'how long and how much the journal keeps (default: 30d and 1GiB); the server refuses a change that is larger by itself',
  },
  {
    name: 'keep-file',
    value: 'SIZE',
    for: WORKERS,
    help: 'the server refuses to change a file that is larger (default: 256MiB in a fleet, see docs/FLEET.md; elsewhere as --keep)',
  },
  {
    name: 'keep-call',
    value: 'SIZE',
    for: WORKERS,
    help: 'the server refuses a call that replaces or removes more (default: 1GiB, never more than --keep)',
  },
  {
    name: 'no-undo-for-large',
    for: WORKERS,
    help: 'make even changes that are too large for --keep, --keep-file or --keep-call; they cannot be undone',
  },
  {
    name: 'no-journal',
    for: [...WORKERS, 'doctor'],
    help: 'keep no journal: changes cannot be undone',
  },
  {
    name: 'trace-contents',
    for: WORKERS,
    help: 'write the arguments and answers of calls to the trace, too',
  },
  {
    name: 'since',
    value: 'TIME',
    for: ['history', 'undo'],
    help: 'only changes since then: 10m, 1h30m, 14:30, yesterday or a date',
  },
  {
    name: 'write',
    for: ['init'],
    help: "add the entry to the client's file, and keep the old bytes beside it",
  },
  { name: 'remove', for: ['init'], help: "take the entry out of the client's file" },
  {
    name: 'scope',
    value: 'user|project',
    for: ['init'],
    help: 'whether the entry is for all your projects (user, the default) or goes into the file of the project in the first DIR (project)',
  },
  {
    name: 'name',
    value: 'NAME',
    for: ['init'],
    help: 'what the client calls the server (default: cofferdam)',
  },
  {
    name: 'force',
    for: ['undo', 'redo', 'init'],
    help: 'also overwrite files that changed since; the journal keeps both versions',
    helpFor: { init: 'replace an entry of the same name that differs' },
  },
  { name: 'all', for: ['forget'], help: 'remove all contents' },
  {
    name: 'dry-run',
    for: ['undo', 'redo', 'forget'],
    help: 'say what would change, and change nothing',
    helpFor: { forget: 'say what would be removed, and change nothing' },
  },
  {
    name: 'only-named',
    for: ['state'],
    help: 'leave out what happened in directories that have no name',
  },
  { name: 'follow', for: ['trace'], help: 'keep running, and show new calls as they come in' },
  { name: 'tool', value: 'NAME', for: ['trace'], help: 'only calls of this tool' },
  {
    name: 'path',
    value: 'TEXT',
    for: ['trace'],
    help: 'only calls that touched a path with this text in it',
  },
  { name: 'failed', for: ['trace'], help: 'only calls that failed or had something refused' },
  { name: 'limit', value: 'N', for: ['trace', 'history'], help: 'only the newest N' },
  {
    name: 'web',
    for: ['trace'],
    help: 'show the calls on a web page for this machine; the address is printed',
  },
  { name: 'json', for: ['tools', 'history', 'trace'], help: 'print JSON' },
  { name: 'explain', for: ['call'], help: 'say on stderr how the engine handled the call' },
  {
    name: 'config',
    value: 'FILE',
    for: [...WORKERS, ...READERS, 'tools', 'doctor'],
    help: 'read options and directories from this file, JSON or TOML; options on the command line win, see docs/CONFIG.md',
  },
  { name: 'version', short: 'v', for: 'every command', help: 'print the version' },
  { name: 'help', short: 'h', for: 'every command', help: 'print this help' },
];

export function flagNamed(name: string): Flag | undefined {
  return flags.find((flag) => flag.name === name);
}

/** The flags that a command takes, in the order of the help. */
export function flagsOf(command: CommandName): Flag[] {
  return flags.filter((flag) => takes(command, flag));
}

export function takes(command: CommandName, flag: Flag): boolean {
  return flag.for === 'every command' || flag.for.includes(command);
}

/** Options that only make sense for a single start. */
const OF_ONE_START: readonly string[] = ['config', 'new-token'];

/** Whether a configuration file may set it: every option of a server, except those for a single start. */
export function inConfig(flag: Flag): boolean {
  return flag.for !== 'every command' && takes('serve', flag) && !OF_ONE_START.includes(flag.name);
}

/** A flag as the help shows it: `--limit N`. */
export function flagText({ name, short, value }: Flag): string {
  return `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
}

export function flagHelp({ help, helpFor }: Flag, command: CommandName): string {
  return helpFor?.[command] ?? help;
}
