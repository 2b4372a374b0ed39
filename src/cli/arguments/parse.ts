/** Turns an argument list into a command, or fails with one clear line that says what is wrong with it. */
import { resolve } from 'node:path';
import { defaultDialect, dialectNamed, dialectNames } from '../../dialects/by-name.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import type { CommandSettings, EncodingRule } from '../../engine/index.ts';
import type { HttpSettings } from '../../server/start-http.ts';
import type { Environment } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';
import type { CommandName } from './commands.ts';
import { readConfig, requireOutOfReach, withConfig } from './config-file.ts';
import { type HistoryCommand, parseHistoryCommand, requireAtMost } from './history-commands.ts';
import { parseEncodings } from './options/encoding-flags.ts';
import { flagsOf } from './options/flags.ts';
import { type HttpValues, needsHttp, parseHttp } from './options/http-flags.ts';
import { type InitRequest, parseInit } from './options/init-flags.ts';
import { choiceOf } from './options/option-value.ts';
import { parseState, type StateSettings, type StateValues } from './options/state-flags.ts';
import { chooseTools, ineffectiveOptions, parseMaxTokens, type ToolValues } from './options/tool-flags.ts';
import { switchesIn } from './options/variables.ts';
import { type RootArgument, toNamedRoot, toRoot } from './roots.ts';
import { type Shell, shells } from './shells.ts';
import { type Arguments, type OptionValues, splitArguments } from './split.ts';
import { parseStateRequest, type StateRequest } from './state-request.ts';
import { namesInstead } from './suggest.ts';

export interface Options {
  dialects: Dialect[];
  readOnly: boolean;
  errors: 'protocol' | 'results';
  /** About how many tokens an answer may have, in dialects that limit it. */
  maxTokens: number | undefined;
  allowGitConfig: boolean;
  /** Globs of files that no tool may use. */
  deny: readonly string[];
  /** Globs of files that do not exist for any tool. */
  hide: readonly string[];
  /** Which files have another encoding than UTF-8. */
  encodings: readonly EncodingRule[];
  json: boolean;
  explain: boolean;
  commands: CommandSettings;
  state: StateSettings;
  /** Warnings for the operator. */
  warnings: readonly string[];
}

export type Command =
  | { do: 'help'; about: CommandName | undefined }
  | { do: 'version' }
  | {
      do: 'serve';
      roots: RootArgument[];
      options: Options;
      http?: HttpSettings | undefined;
      stdio?: string[];
    }
  | ({ do: 'init' } & InitRequest)
  | { do: 'call'; tool: string; json: string; roots: RootArgument[]; options: Options }
  | { do: 'tools'; options: Options; together: boolean }
  | { do: 'doctor'; roots: RootArgument[]; options: Options }
  | HistoryCommand
  | StateRequest
  | { do: 'completions'; shell: Shell };

/** The command of one kind, as its file in cli/ takes it. */
export type CommandTo<Do extends Command['do']> = Extract<Command, { do: Do }>;

export function parseCommand(
  argv: readonly string[],
  environment: Environment,
  home: string,
  /** The value of COFFERDAM_STATE. */
  state?: string,
): Command {
  const split = splitArguments(argv);
  const { command, named } = split;
  if (split.values.help) return { do: 'help', about: named ? command : undefined };
  if (split.values.version) return { do: 'version' };
  const values = { ...split.values, ...switchesIn(environment) };
  const given = { ...split, values };
  if (values.config === undefined) return parseArguments(given, values, environment, home, state);
  const config = readConfig(values.config as string, home);
  const parsed = parseArguments(withConfig(given, config), values, environment, home, state);
  if ('roots' in parsed) requireOutOfReach(config, parsed.roots);
  return parsed;
}

function parseArguments(
  { command, values, rest }: Arguments,
  /** The options of the command line and the environment, without those of the configuration file. */
  typed: OptionValues,
  environment: Environment,
  home: string,
  state: string | undefined,
): Command {
  // `cofferdam tools` alone shows every dialect. With one of these options it shows what such a server offers.
  const isOfServer = ['dialect', 'tools', 'toolset'].some((name) => values[name] !== undefined);
  const usual = command === 'tools' && !isOfServer ? dialectNames : [defaultDialect];
  const dialects = chooseDialects((values.dialect as string[] | undefined) ?? usual);
  const options: Options = {
    dialects: chooseTools(dialects, values as ToolValues),
    readOnly: values['read-only'] === true,
    errors: choiceOf('errors', values.errors ?? 'protocol', ['protocol', 'results']),
    maxTokens: parseMaxTokens(values['max-tokens'] as string | undefined),
    allowGitConfig: values['allow-git-config'] === true,
    deny: (values.deny ?? []) as string[],
    hide: (values.hide ?? []) as string[],
    encodings: parseEncodings((values.encoding ?? []) as string[]),
    json: values.json === true,
    explain: values.explain === true,
    commands: commandSettings(values),
    state: parseState(values as StateValues, environment, home, state),
    warnings: ineffectiveOptions(values, dialects),
  };
  switch (command) {
    case 'call':
      return parseCall(rest, options, environment);
    case 'tools':
      if (rest.length > 0) throw new UsageError(`tools takes no argument: ${rest[0]}`);
      return { do: 'tools', options, together: isOfServer };
    case 'doctor':
      return { do: 'doctor', roots: rest.map(rootReader(options)), options };
    case 'state':
      return parseStateRequest(rest, values['only-named'] === true);
    case 'completions':
      return { do: 'completions', shell: shellNamed(rest) };
    case 'serve':
      if (values['client-roots']) return parseClientRoots(rest, values, options);
      return {
        do: 'serve',
        roots: rootsFrom(rest, options, environment),
        options,
        http: parseHttp(values as HttpValues),
      };
    case 'init':
      return {
        do: 'init',
        ...parseInit(rest, values, serverArguments(typed, options.state), options.state),
      };
    case 'start':
      return {
        do: 'serve',
        roots: rest.length > 0 ? rest.map(rootReader(options)) : [{ path: '.', writable: true }],
        options,
        http: {
          ...parseHttp({ http: USUAL_ADDRESS, ...(values as HttpValues) })!,
          printed: true,
          portByDirectory: values.http === undefined,
        },
        stdio: serverArguments(typed, options.state),
      };
    default:
      return parseHistoryCommand(command, rest, values, options);
  }
}

/** The ports from which each directory gets its own, so that servers of several directories can run side by side. */
const USUAL_ADDRESS = '127.0.0.1:7440-7639';

/** The options with which a client starts the same server on stdio, from any directory. */
function serverArguments(values: OptionValues, { address, directory }: StateSettings): string[] {
  return flagsOf('serve').flatMap(({ name }) => {
    const value =
      name === 'state' && values.state !== undefined ? directory : fromAnywhere(name, values[name]);
    // The address holds a password, so it is never printed: users give --state-file instead.
    if (name === 'state' && address !== undefined) return [];
    if (value === undefined || name === 'http' || needsHttp(name)) return [];
    if (value === true) return [`--${name}`];
    return [value].flat().flatMap((each) => [`--${name}`, String(each)]);
  });
}

/** Makes the value independent of the working directory: a client starts the server in another one. */
function fromAnywhere(name: string, value: OptionValues[string]): OptionValues[string] {
  const isPath = name === 'state-file' || name === 'config';
  return isPath && typeof value === 'string' ? resolve(value) : value;
}

function commandSettings(values: OptionValues): CommandSettings {
  const sandbox = choiceOf('sandbox', values.sandbox ?? 'auto', ['auto', 'require', 'off']);
  const allowCommands = (values['allow-command'] ?? []) as string[];
  for (const name of allowCommands) {
    if (!/^[\w.+-]+$/.test(name))
      throw new UsageError(`--allow-command takes a program's name, not '${name}'`);
  }
  return {
    sandbox,
    allowNet: values['allow-net'] === true,
    allowCommands,
    passEnv: ((values.env ?? []) as string[]).map(checkVariable),
  };
}

function checkVariable(name: string): string {
  if (name !== '' && !/[=\0]/.test(name)) return name;
  throw new UsageError(
    `--env takes the name of a variable, not '${name}': its value comes from this environment`,
  );
}

function parseCall(
  [tool, json, ...directories]: string[],
  options: Options,
  environment: Environment,
): Command {
  if (tool === undefined) throw new UsageError("call needs a tool: cofferdam call TOOL 'JSON' DIR…");
  if (json === undefined) throw new UsageError(`call ${tool} needs its arguments as JSON, for example '{}'`);
  return { do: 'call', tool, json, roots: rootsFrom(directories, options, environment), options };
}

function chooseDialects(named: readonly string[]): Dialect[] {
  const names = named.flatMap((list) => list.split(','));
  return [...new Set(names)].map((name) => {
    const found = dialectNamed(name);
    if (found) return found;
    throw new UsageError(`unknown dialect '${name}'${namesInstead(name, 'dialects', dialectNames)}`);
  });
}

function shellNamed(rest: readonly string[]): Shell {
  requireAtMost(rest, 1, 'completions');
  const shell = shells.find((name) => name === rest[0]);
  if (shell) return shell;
  const wrong = rest[0] === undefined ? '' : `, not '${rest[0]}'`;
  throw new UsageError(`completions needs the name of a shell: bash, zsh or fish${wrong}`);
}

/** Parses `--client-roots`, which is only for stdio: over HTTP, any client could name any directory. */
function parseClientRoots([directory]: readonly string[], { http }: OptionValues, options: Options): Command {
  if (directory !== undefined)
    throw new UsageError(
      `--client-roots serves what the client names, and takes no directory: leave out ${directory}, or the option (roots narrow what is served in any case)`,
    );
  if (options.state.address !== undefined)
    throw new UsageError('--client-roots is not for a fleet: its directories have names (DIR=NAME)');
  if (http !== undefined)
    throw new UsageError('--client-roots is for stdio: over HTTP a client could name any directory');
  const unaware = options.dialects.find(({ followsClientRoots }) => !followsClientRoots);
  if (unaware)
    throw new UsageError(`the dialect ${unaware.name} knows no roots of clients: give directories`);
  return { do: 'serve', roots: [], options };
}

/** If the command line names no directory, a setting of the dialect may name one, which is then read-only. */
function rootsFrom(
  directories: readonly string[],
  options: Options,
  environment: Environment,
): RootArgument[] {
  const { dialects: chosen } = options;
  if (directories.length > 0) return directories.map(rootReader(options));
  const settings = chosen.flatMap(({ rootSetting }) => rootSetting ?? []);
  const path = settings.map((name) => environment[name]).find((value) => value);
  if (path !== undefined) return [{ path, writable: false }];
  const instead = settings.map((name) => `, or set ${name}`).join('');
  throw new UsageError(`no directory given: cofferdam [options] DIR…${instead} (see cofferdam --help)`);
}

function rootReader({ state: { address } }: Options): (text: string) => RootArgument {
  return address === undefined ? toRoot : toNamedRoot;
}
