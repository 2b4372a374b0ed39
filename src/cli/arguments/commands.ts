/** Every command of the command line, described once: the parser and the help texts come from here. */

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
    usage: ['[options] DIR[:ro] [DIR[:ro] …]', '--http [HOST:]PORT [options] DIR…'],
    help: 'serve these directories as an MCP server, on stdio or over HTTP',
    more: [
      'This command has no name of its own: give the directories. Where one has the name of a command, write ./NAME.',
      'DIR:ro makes a directory read-only. Nothing outside the directories is ever touched.',
      'Over HTTP every request needs a token: set COFFERDAM_TOKEN or give --token-file; on a terminal the server makes one and keeps it. docs/HTTP.md tells more.',
    ],
  },
  {
    name: 'start',
    usage: ['[options] [DIR[:ro] …]'],
    help: 'serve over HTTP to this machine, and print what to paste into a client',
    more: [
      'Without a DIR it serves the current directory. The port is the first free one from 7440 on, unless --http names another.',
      'The token is kept in the state directory and stays the same from start to start; --new-token makes another.',
      'It prints configurations for clients that start the server themselves, on stdio, and for clients that connect over HTTP.',
    ],
  },
  {
    name: 'call',
    usage: ["TOOL 'JSON' [options] DIR…"],
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
    help: 'list what was changed, by which call, newest first',
  },
  { name: 'diff', usage: ['ENTRY'], help: 'show what one entry of the history changed' },
  {
    name: 'undo',
    usage: ['[ENTRY|DIR] [--since TIME] [--force]'],
    help: 'put back what an entry changed; the newest one unless told',
    more: [
      'ENTRY is an id that cofferdam history lists, or the beginning of one. With DIR, undo takes back the newest change in that directory; with --since, every change from then on.',
    ],
  },
  { name: 'redo', usage: ['[ENTRY] [--force]'], help: 'take an undo back; the newest one unless told' },
  {
    name: 'forget',
    usage: ['ENTRY|PATH [ENTRY|PATH …] [--dry-run]', '--all [--dry-run]'],
    help: 'remove kept contents for good, and say what can then no longer be undone',
    more: [
      'Of a PATH every content goes that it ever had; of an ENTRY what no other entry needs. The file itself is not touched. Arguments and answers in the trace go too.',
    ],
  },
  {
    name: 'trace',
    usage: ['[--follow] [--failed] [--limit N] [--json]', '--web [--http PORT]'],
    help: 'show every call: when, who, which tool and paths, how it went',
  },
  {
    name: 'doctor',
    usage: ['[options] [DIR…]'],
    help: 'say which protections are active here, and what is missing',
    more: ['Without a DIR it looks at the current directory.'],
  },
] as const satisfies readonly CommandDescription[];

export type CommandName = (typeof commands)[number]['name'];

/** The command without a name: its arguments are the directories. */
export const UNNAMED: CommandName = 'serve';

export function commandNamed(name: string | undefined): CommandName | undefined {
  return commands.find((command) => command.name === name)?.name;
}
