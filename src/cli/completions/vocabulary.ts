/** What a shell can complete: every command with its options, and what an option takes. */
import { commands, UNNAMED } from '../arguments/commands.ts';
import { type Flag, flagHelp, flagsOf } from '../arguments/options/flags.ts';
import { STATE_VERBS } from '../arguments/state-request.ts';

/** What completes a value, or an argument that is not an option. */
export type Completed =
  /** `list`: several of the words, separated by commas. */
  { kind: 'words' | 'list'; words: readonly string[] } | { kind: 'file' | 'directory' | 'free' };

export interface CompletedOption {
  name: string;
  short: string | undefined;
  help: string;
  /** Undefined for a switch. */
  value: Completed | undefined;
}

export interface CompletedCommand {
  name: string;
  help: string;
  options: readonly CompletedOption[];
  /** The first argument that is not an option. */
  first: Completed;
  /** The arguments after it. */
  others: Completed;
}

export interface Vocabulary {
  /** The default command, which a user need not name, comes first. */
  commands: readonly CompletedCommand[];
}

interface Names {
  dialects: readonly string[];
  tools: readonly string[];
  shells: readonly string[];
  clients: readonly string[];
}

export function vocabulary(names: Names): Vocabulary {
  return {
    commands: commands.map(({ name, help }) => ({
      name,
      help,
      options: flagsOf(name).map((flag) => ({
        name: flag.name,
        short: flag.short,
        help: flagHelp(flag, name),
        value: valueTaken(flag, names),
      })),
      ...argumentsOf(name, names),
    })),
  };
}

/** The command that users do not name. */
export function unnamedCommand({ commands: all }: Vocabulary): CompletedCommand {
  return all.find(({ name }) => name === UNNAMED)!;
}

export function namedCommands({ commands: all }: Vocabulary): CompletedCommand[] {
  return all.filter(({ name }) => name !== UNNAMED);
}

/** What an option takes, by the name of its value in the table: `FILE`, `DIR`, or the words that it may be. */
function valueTaken({ name, value }: Flag, names: Names): Completed | undefined {
  if (value === undefined) return undefined;
  if (name === 'dialect') return { kind: 'list', words: names.dialects };
  if (name === 'tools') return { kind: 'list', words: names.tools };
  if (name === 'tool') return { kind: 'words', words: names.tools };
  if (/^[a-z]+(\|[a-z]+)+$/.test(value))
    return { kind: name === 'toolset' ? 'list' : 'words', words: value.split('|') };
  if (value.startsWith('FILE')) return { kind: 'file' };
  return { kind: value.startsWith('DIR') ? 'directory' : 'free' };
}

function argumentsOf(
  command: string,
  { tools, shells, clients }: Names,
): Pick<CompletedCommand, 'first' | 'others'> {
  const directory: Completed = { kind: 'directory' };
  const free: Completed = { kind: 'free' };
  switch (command) {
    case 'call':
      return { first: { kind: 'words', words: tools }, others: directory };
    case 'init':
      return { first: { kind: 'words', words: clients }, others: directory };
    case 'completions':
      return { first: { kind: 'words', words: shells }, others: free };
    case 'state':
      return { first: { kind: 'words', words: STATE_VERBS }, others: directory };
    case 'diff':
    case 'redo':
    case 'tools':
    case 'trace':
      return { first: free, others: free };
    default:
      return { first: directory, others: directory };
  }
}
