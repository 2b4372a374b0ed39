/** Every command of the command line, described once: the parser, the help texts and docs/CLI.md come from here. */

export interface CommandDescription {
  name: string;
  /** What follows `cofferdam` and the name, a line for each way to call it. */
  usage: readonly string[];
  /** One line for the list of commands. */
  help: string;
  /** What its own help says beyond that, a paragraph each. */
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
      'In a fleet (--state postgres://…) each directory has a name that all servers know it by: DIR=NAME, or DIR=NAME:ro. See docs/FLEET.md.',
      'Over HTTP every request needs a token. Set COFFERDAM_TOKEN or give --token-file; on a terminal the server makes a token itself and saves it. See docs/HTTP.md.',
    ],
  },
  {
    name: 'start',
    usage: ['[options] [DIR[:ro] …]'],
    help: 'serve over HTTP to this machine, and print what to paste into a client',
    more: [
      'Without a DIR, start serves the current directory. It takes the first free port from 7440 on, unless --http names another.',
      'The token stays the same from start to start; --new-token makes another.',
      'It prints configurations for clients that start a server of their own on stdio, and for clients that connect over HTTP.',
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
    usage: ['[ENTRY|DIR] [--since TIME] [--force]'],
    help: 'restore what an entry changed; the newest entry by default',
    more: [
      'ENTRY is an id from cofferdam history, or the beginning of one. With DIR, undo restores the newest change in that directory; with --since, every change since then.',
      'When a file changed after the entry, undo changes nothing and shows the difference; --force restores the file anyway.',
    ],
  },
  {
    name: 'redo',
    usage: ['[ENTRY] [--force]'],
    help: 'take an undo back; the newest undo by default',
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
    name: 'doctor',
    usage: ['[options] [DIR[:ro] …]'],
    help: 'say which protections are active here, and what is missing',
    more: ['Without a DIR, doctor looks at the current directory.'],
  },
] as const satisfies readonly CommandDescription[];

export type CommandName = (typeof commands)[number]['name'];

/** The command without a name: its arguments are the directories. */
export const UNNAMED: CommandName = 'serve';

export function commandNamed(name: string | undefined): CommandName | undefined {
  return commands.find((command) => command.name === name)?.name;
}
