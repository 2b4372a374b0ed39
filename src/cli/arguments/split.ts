/** Splits an argument list into a command, the values of its options and its other arguments. */
// Only to check whether a name exists.
import { existsSync } from 'node:fs';
import { UsageError } from '../usage-error.ts';
import { tokensOf } from './argument-tokens.ts';
import { type CommandName, commandNamed, commands, UNNAMED } from './commands.ts';
import { type Flag, flagNamed, flagsOf, flagText, takes } from './options/flags.ts';
import { didYouMean, namesInstead } from './suggest.ts';

export interface Arguments {
  command: CommandName;
  /** Whether the user named the command. Nobody has to name `serve`. */
  named: boolean;
  values: OptionValues;
  /** Everything but the options and the command. */
  rest: string[];
}

export type OptionValues = Readonly<Record<string, string | string[] | boolean | undefined>>;

/** Words in the place of a command that ask about the program itself. */
const QUESTIONS: readonly string[] = ['help', 'version'];

export function splitArguments(argv: readonly string[]): Arguments {
  const values: Record<string, string | string[] | boolean> = {};
  const given: Flag[] = [];
  const rest: string[] = [];
  let firstMayBeCommand = true;
  const unknown: string[] = [];
  for (const token of tokensOf(argv)) {
    if (token.kind === 'option-terminator') firstMayBeCommand = rest.length > 0;
    else if (token.kind === 'positional') rest.push(token.value);
    else if (!flagNamed(token.name)) unknown.push(token.rawName);
    else given.push(takeOption(token, values));
  }
  const first = firstMayBeCommand ? rest[0] : undefined;
  const found = commandNamed(first);
  // Only now, because the suggestion depends on the command, which may come after the option.
  if (unknown.length > 0) throw unknownOption(unknown[0]!, found ?? UNNAMED);
  if (first !== undefined && QUESTIONS.includes(first)) return aboutTheProgram(first, rest.slice(1), values);
  const named = found !== undefined && (found !== UNNAMED || values.help === true);
  if (named) rest.shift();
  const command = named ? found : UNNAMED;
  if (named && asksForHelp(rest)) values.help = true;
  if (values.help || values.version) return { command, named, values, rest };
  if (!named && firstMayBeCommand) refuseMistypedCommand(first);
  for (const flag of given) requireFits(command, flag);
  return { command, named, values, rest };
}

/** A mistyped command must not start a server for a directory of that name. */
function refuseMistypedCommand(first: string | undefined): void {
  if (first === undefined || /[/\\]|:ro$/.test(first) || existsSync(first)) return;
  if (first === 'serve') throw new UsageError('serve is not needed: cofferdam [options] DIR…');
  const names = [...commands.map(({ name }) => name), ...QUESTIONS].filter((name) => name !== 'serve');
  const meant = didYouMean(first, names);
  if (meant !== '') throw new UsageError(`${first}: no such directory or command${meant}`);
}

/** `help`, `help COMMAND` and `version`. */
function aboutTheProgram(
  word: string,
  rest: readonly string[],
  values: Record<string, string | string[] | boolean>,
): Arguments {
  const [topic, extra] = rest;
  const about = word === 'help' && topic !== undefined && !QUESTIONS.includes(topic);
  const most = word === 'help' ? 1 : 0;
  if (rest.length > most) throw new UsageError(`${word} takes no further argument: ${extra ?? topic}`);
  return {
    command: about ? topicNamed(topic) : UNNAMED,
    named: about,
    values: { ...values, [word]: true },
    rest: [],
  };
}

/** `undo help` asks for the help of undo, unless a file or directory here is called `help`. */
function asksForHelp(rest: readonly string[]): boolean {
  return rest.length === 1 && rest[0] === 'help' && !existsSync('help');
}

function unknownOption(typed: string, command: CommandName): UsageError {
  const fitting = flagsOf(command);
  const name = typed.replace(/^-+/, '');
  const letter = fitting.find(({ short }) => short !== undefined && short === name.toLowerCase());
  const meant = letter
    ? `; did you mean -${letter.short} (--${letter.name})?`
    : didYouMean(
        name,
        fitting.map((flag) => flag.name),
        '--',
      );
  const help = command === UNNAMED ? 'cofferdam help' : `cofferdam help ${command}`;
  return new UsageError(`Unknown option '${typed}'${meant === '' ? ` (${help} lists the options)` : meant}`);
}

interface OptionToken {
  name: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}

/** Stores the value of an option, or says what is wrong with it. */
function takeOption(
  { name, value, inlineValue }: OptionToken,
  values: Record<string, string | string[] | boolean>,
): Flag {
  const flag = flagNamed(name)!;
  if (!flag.value) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value, but got '${value}'`);
    values[name] = true;
    return flag;
  }
  // In `--state --read-only` the value is missing: nobody has a directory with such a name.
  if (value === undefined || (!inlineValue && value.startsWith('-') && value !== '-'))
    throw new UsageError(`--${name} needs a value: ${flagText(flag)}`);
  if (flag.repeatable) values[name] = [...((values[name] as string[] | undefined) ?? []), value];
  else values[name] = value;
  return flag;
}

function requireFits(command: CommandName, flag: Flag): void {
  if (takes(command, flag)) return;
  const taken = flagsOf(command)
    .filter(({ for: fits }) => fits !== 'every command')
    .map(({ name }) => `--${name}`);
  const options = taken.length === 0 ? 'no options' : taken.join(', ');
  const who = command === UNNAMED ? 'a server' : command;
  throw new UsageError(`--${flag.name} is not for ${who}, which takes ${options}`);
}

function topicNamed(topic: string): CommandName {
  const command = commandNamed(topic);
  if (command) return command;
  const names = commands.map(({ name }) => name);
  throw new UsageError(`help ${topic}: no such command${namesInstead(topic, 'commands', names)}`);
}
