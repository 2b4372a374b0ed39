/** Every command of the command line, described once: the parser, the help texts and docs/CLI.md come from here. */

export interface CommandDescription {
  name: string;
  /** What follows `cofferdam` and the name: one line for each way to call the command. */
  usage: readonly string[];
  /** One line for the list of commands. */
  help: string;
  /** More paragraphs for the help of this command. */
  more?: readonly string[];
}

export const commands = [
  {
    name: 'serve',
    usage: ['[options] DIR[:ro] …', '--http [HOST:]PORT [options] DIR[:ro] …'],
    help: 'serve directories as an MCP server, on stdio or over HTTP',
    more: [
      'You do not write the name of this command: the directories are enough. To serve a directory that has the name of a command, write ./NAME.',
      'DIR:ro makes a directory read-only. The server touches nothing outside the directories.',
      'In a fleet (--state postgres://…) each directory has a name by which all servers know it: DIR=NAME, or DIR=NAME:ro. See docs/FLEET.md.',
      'Over HTTP every request needs a token. Set COFFERDAM_TOKEN or give --token-file; on a terminal the server makes a token itself and saves it. See docs/HTTP.md.',
    ],
  },
  {
    name: 'start',
    usage: ['[options] [DIR[:ro] …]'],
    help: 'serve over HTTP to this machine, and print what to paste into a client',
    more: [
      'Without a DIR, start serves the current directory. It takes the port from 7440 to 7639 that belongs to the directory, or the next free one, unless --http names another.',
      'The token stays the same from start to start; --new-token makes another.',
      'It prints configurations for clients that start a server of their own on stdio, and for clients that connect over HTTP.',
    ],
  },
  {
    name: 'init',
    usage: ['', 'CLIENT [options] [DIR[:ro] …] [--write]', 'CLIENT --remove'],
    help: 'show what a client needs to use this server, write it to its file, or take it out again',
    more: [
      'Without a CLIENT, init lists the clients that it knows, and which of them it finds on this machine. Without a DIR, the server gets the current directory. Every option of a server on stdio goes into the entry.',
      'With --write, init adds the entry to the file of the client and leaves every other byte as it is; the old bytes stay beside the file as FILE.before-cofferdam. It does not replace an entry that differs unless you give --force. --remove takes the entry out again.',
    ],
  },
  {
    name: 'call',
    usage: ["TOOL 'JSON' [options] DIR[:ro] …"],
    help: 'make one tool call and print its answer',
    more: [`Example: cofferdam call read_file '{"path":"README.md"}' .`],
  },
  {
    name: 'tools',
    usage: ['[--dialect NAME] [--read-only] [--json]'],
    help: 'list the tools, their parameters and what they cost in tokens',
  },
  {
    name: 'history',
    usage: ['[DIR] [--since TIME] [--limit N] [--json]'],
    help: 'list what changed and which call changed it, newest first',
  },
  { name: 'diff', usage: ['ENTRY'], help: 'show what one entry of the history changed' },
  {
    name: 'undo',
    usage: ['[ENTRY|DIR] [--since TIME] [--force] [--dry-run]'],
    help: 'restore what an entry changed; the newest entry by default',
    more: [
      'ENTRY is an id from cofferdam history, or the beginning of one. With DIR, undo restores the newest change in that directory; with --since, every change since then.',
      'When a file changed after the entry, undo changes nothing and shows the difference; --force restores the file anyway.',
    ],
  },
  {
    name: 'redo',
    usage: ['[ENTRY] [--force] [--dry-run]'],
    help: 'take back an undo; the newest undo by default',
  },
  {
    name: 'forget',
    usage: ['ENTRY|PATH … [--dry-run]', '--all [--dry-run]'],
    help: 'remove saved contents for good, and say what you can no longer undo',
    more: [
      'For a PATH, forget removes every content that the journal saved of it; for an ENTRY, the contents that no other entry needs. It does not touch the file itself. It also removes the arguments and answers of these calls from the trace.',
    ],
  },
  {
    name: 'trace',
    usage: ['[--follow] [--failed] [--limit N] [--json]', '--web [--http PORT]'],
    help: 'show every call: when, who, which tool and paths, how it ended',
  },
  {
    name: 'state',
    usage: ['copy FROM TO [DIR=NAME …] [--only-named]', 'new-key postgres://…|@FILE'],
    help: 'copy the history and the trace from one state into another one that has none, or give a fleet a new key',
    more: [
      'FROM and TO are a state directory, postgres://…, or @FILE: a file with the address of the database, which no other user may read (./@NAME for a directory that begins with @).',
      'Between a directory and a database, DIR=NAME says for each directory of the history what the fleet calls it. If a directory of the history has no name, state copy copies nothing; --only-named leaves such directories out.',
      'Stop the servers that use FROM first: what they change later is not in the copy. If the history grows during the copy, nothing becomes visible in TO. After an interrupted copy, run the same command again.',
      'new-key makes the key with which all servers of a fleet sign sessions and logins from then on. What the previous key signed stays valid until the next new-key.',
    ],
  },
  {
    name: 'doctor',
    usage: ['[options] [DIR[:ro] …]'],
    help: 'say which protections are active here, and what is missing',
    more: [
      'Without a DIR, doctor looks at the current directory. Its exit code is 0 when every line says yes, and 1 otherwise.',
    ],
  },
  {
    name: 'completions',
    usage: ['bash|zsh|fish'],
    help: 'print a script that lets your shell complete commands and options',
    more: [
      'bash: cofferdam completions bash > ~/.local/share/bash-completion/completions/cofferdam',
      'zsh: cofferdam completions zsh > _cofferdam, in a directory of $fpath',
      'fish: cofferdam completions fish > ~/.config/fish/completions/cofferdam.fish',
    ],
  },
] as const satisfies readonly CommandDescription[];

export type CommandName = (typeof commands)[number]['name'];

/** The command that users do not name: `cofferdam DIR…`. */
export const UNNAMED: CommandName = 'serve';

export function commandNamed(name: string | undefined): CommandName | undefined {
  return commands.find((command) => command.name === name)?.name;
}
