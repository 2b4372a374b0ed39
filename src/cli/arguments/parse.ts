/** Turns an argument list into a command, or into one clear line that says what is wrong with it. */
import { defaultDialect, dialectNamed, dialectNames } from '../../dialects/by-name.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import type { CommandSettings, EncodingRule } from '../../engine/index.ts';
import type { HttpSettings } from '../../server/start-http.ts';
import { isLoopback } from '../../server/web/host-and-origin.ts';
import type { TraceFilter } from '../../trace/show.ts';
import type { ForgetArguments } from '../forget.ts';
import type { HistoryRequest, UndoRequest } from '../history.ts';
import type { Environment } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';
import type { CommandName } from './commands.ts';
import { parseEncodings } from './encoding-flags.ts';
import { flagsOf } from './flags.ts';
import { type HttpValues, needsHttp, parseHttp } from './http-flags.ts';
import { isNamedRoot, type ServedRoot, toNamedRoot, toRoot } from './roots.ts';
import { splitArguments, type Values } from './split.ts';
import { parseState, parseTime, type StateSettings, type StateValues } from './state-flags.ts';
import { namesInstead } from './suggest.ts';
import { chooseTools, parseMaxTokens, type ToolValues } from './tool-flags.ts';

export interface Options {
  dialects: Dialect[];
  readOnly: boolean;
  errors: 'protocol' | 'results';
  /** About how many tokens an answer may hold, in dialects that keep to that. */
  maxTokens: number | undefined;
  allowGitConfig: boolean;
  /** Globs of what no tool gets. */
  deny: readonly string[];
  hide: readonly string[];
  /** Files in other encodings than UTF-8. */
  encodings: readonly EncodingRule[];
  json: boolean;
  explain: boolean;
  commands: CommandSettings;
  state: StateSettings;
}

export type Command =
  | { do: 'help'; about: CommandName | undefined }
  | { do: 'version' }
  | { do: 'serve'; roots: ServedRoot[]; options: Options; http?: HttpSettings | undefined; stdio?: string[] }
  | { do: 'call'; tool: string; json: string; roots: ServedRoot[]; options: Options }
  | { do: 'tools'; options: Options; named: boolean }
  | { do: 'doctor'; roots: ServedRoot[]; options: Options }
  | ({ do: 'history'; state: StateSettings } & HistoryRequest)
  | { do: 'diff'; entry: string; encodings: readonly EncodingRule[]; state: StateSettings }
  | ({ do: 'undo'; state: StateSettings } & UndoRequest)
  | { do: 'redo'; what: string | undefined; force: boolean; state: StateSettings }
  | ({ do: 'forget'; state: StateSettings } & ForgetArguments)
  | { do: 'trace'; asked: TraceRequest; state: StateSettings };

export interface TraceRequest extends TraceFilter {
  follow: boolean;
  json: boolean;
  limit: number | undefined;
  /** The port of the page; 0 for any free one. Undefined for the terminal. */
  webPort: number | undefined;
}

/** The command of one kind, as its file in cli/ takes it. */
export type CommandTo<Do extends Command['do']> = Extract<Command, { do: Do }>;

export function parseCommand(
  argv: readonly string[],
  environment: Environment,
  home: string,
  /** From COFFERDAM_STATE. */
  state?: string,
): Command {
  const { command, named, values, rest } = splitArguments(argv);
  if (values.help) return { do: 'help', about: named ? command : undefined };
  if (values.version) return { do: 'version' };
  const dialectNames = values.dialect as string[] | undefined;
  const options: Options = {
    dialects: chooseTools(chooseDialects(dialectNames ?? [defaultDialect]), values as ToolValues),
    readOnly: values['read-only'] === true,
    errors: errorsMode(values),
    maxTokens: parseMaxTokens(values['max-tokens'] as string | undefined),
    allowGitConfig: values['allow-git-config'] === true,
    deny: (values.deny ?? []) as string[],
    hide: (values.hide ?? []) as string[],
    encodings: parseEncodings((values.encoding ?? []) as string[]),
    json: values.json === true,
    explain: values.explain === true,
    commands: commandSettings(values),
    state: parseState(values as StateValues, environment, home, state),
  };
  switch (command) {
    case 'call':
      return parseCall(rest, options, environment);
    case 'tools':
      if (rest.length > 0) throw new UsageError(`tools takes no argument: ${rest[0]}`);
      return { do: 'tools', options, named: dialectNames !== undefined };
    case 'doctor':
      return { do: 'doctor', roots: rest.map(rootReader(options)), options };
    case 'serve':
      if (values['client-roots']) return parseClientRoots(rest, values, options);
      return {
        do: 'serve',
        roots: rootsFrom(rest, options, environment),
        options,
        http: parseHttp(values as HttpValues),
      };
    case 'start':
      return {
        do: 'serve',
        roots: rest.length > 0 ? rest.map(rootReader(options)) : [{ path: '.', writable: true }],
        options,
        http: { ...parseHttp({ http: USUAL_ADDRESS, ...(values as HttpValues) })!, printed: true },
        stdio: serverArguments(values, options.state),
      };
    default:
      return parseStateCommand(command, rest, values, options);
  }
}

/** The first of these ports that is free. */
const USUAL_ADDRESS = '127.0.0.1:7440-7499';

/** The options with which a client starts the same server on stdio, from any directory. */
function serverArguments(values: Values, { address, directory }: StateSettings): string[] {
  return flagsOf('serve').flatMap(({ name }) => {
    const value = name === 'state' && values.state !== undefined ? directory : values[name];
    // The address holds a password, and is not printed: whoever needs it gives a file.
    if (name === 'state' && address !== undefined) return [];
    if (value === undefined || name === 'http' || needsHttp(name)) return [];
    if (value === true) return [`--${name}`];
    return [value].flat().flatMap((each) => [`--${name}`, String(each)]);
  });
}

/** The commands that read the state directory and serve nothing. */
function parseStateCommand(
  command: 'history' | 'diff' | 'undo' | 'redo' | 'forget' | 'trace',
  all: readonly string[],
  values: Values,
  { state: given, json, encodings }: Options,
): Command {
  // Where directories of a fleet are on this machine; everything else is what the command is about.
  const roots = given.address === undefined ? [] : all.filter(isNamedRoot).map(toNamedRoot);
  const rest = given.address === undefined ? all : all.filter((text) => !isNamedRoot(text));
  const state = { ...given, roots };
  const force = values.force === true;
  const since = values.since === undefined ? undefined : parseTime(values.since as string, new Date());
  const limit = parseLimit(values.limit as string | undefined);
  const [what] = rest;
  switch (command) {
    case 'history':
      requireAtMost(rest, 1, command);
      return { do: 'history', directory: what, since, json, limit, state };
    case 'diff':
      if (what === undefined) throw new UsageError('diff needs an entry: cofferdam diff ENTRY');
      requireAtMost(rest, 1, command);
      return { do: 'diff', entry: what, encodings, state };
    case 'undo':
      requireAtMost(rest, 1, command);
      return { do: 'undo', what, since, force, state };
    case 'redo':
      requireAtMost(rest, 1, command);
      return { do: 'redo', what, force, state };
    case 'forget':
      return {
        do: 'forget',
        what: rest,
        all: values.all === true,
        dryRun: values['dry-run'] === true,
        state,
      };
    case 'trace':
      requireAtMost(rest, 0, command);
      return { do: 'trace', asked: traceRequest(values, json, limit), state };
  }
}

function traceRequest(values: Values, json: boolean, limit: number | undefined): TraceRequest {
  const { tool, path, failed, follow, web } = values as Partial<Record<string, string & true>>;
  if (values.http !== undefined && !web)
    throw new UsageError('--http is for the page: trace --web --http PORT');
  const unused = web ? ['tool', 'path', 'failed', 'follow', 'limit', 'json'] : [];
  const alone = unused.find((name) => values[name] !== undefined);
  if (alone)
    throw new UsageError(`--${alone} is for the terminal: the page of trace --web has filters of its own`);
  const { host, port, lastPort } = parseHttp({ http: values.http as string | undefined }) ?? {
    host: '127.0.0.1',
    port: 0,
    lastPort: undefined,
  };
  if (web && (!isLoopback(host) || lastPort !== undefined))
    throw new UsageError('the page of trace --web is for this machine: --http PORT');
  return {
    ...{ tool, path, failed: failed === true, follow: follow === true, json, limit },
    webPort: web ? port : undefined,
  };
}

function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--limit ${text}: give a number from 1 on`);
  return Number(text);
}

function requireAtMost(rest: readonly string[], most: number, command: string): void {
  const extra = rest[most];
  if (extra !== undefined) throw new UsageError(`${command} takes no further argument: ${extra}`);
}

function errorsMode({ errors = 'protocol' }: Values): Options['errors'] {
  if (errors === 'protocol' || errors === 'results') return errors;
  throw new UsageError(`--errors is protocol or results, not '${errors}'`);
}

function commandSettings(values: Values): CommandSettings {
  const sandbox = (values.sandbox ?? 'auto') as string;
  if (sandbox !== 'auto' && sandbox !== 'require' && sandbox !== 'off') {
    throw new UsageError(`--sandbox is auto, require or off, not '${sandbox}'`);
  }
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

/** Over HTTP anybody with a token could name any directory of this machine. */
function parseClientRoots([directory]: readonly string[], { http }: Values, options: Options): Command {
  if (directory !== undefined)
    throw new UsageError(
      `--client-roots serves what the client names, and takes no directory: leave out ${directory}, or the option (roots narrow what is served in any case)`,
    );
  if (options.state.address !== undefined)
    throw new UsageError('--client-roots is not for a fleet: its directories have names (DIR=NAME)');
  if (http !== undefined)
    throw new UsageError('--client-roots is for stdio: over HTTP a client could name any directory');
  const deaf = options.dialects.find(({ followsClientRoots }) => !followsClientRoots);
  if (deaf) throw new UsageError(`the dialect ${deaf.name} knows no roots of clients: give directories`);
  return { do: 'serve', roots: [], options };
}

/** Without directories on the command line, a dialect's own setting may name one. It is then read-only. */
function rootsFrom(directories: readonly string[], options: Options, environment: Environment): ServedRoot[] {
  const { dialects: chosen } = options;
  if (directories.length > 0) return directories.map(rootReader(options));
  const settings = chosen.flatMap(({ rootSetting }) => rootSetting ?? []);
  const path = settings.map((name) => environment[name]).find((value) => value);
  if (path !== undefined) return [{ path, writable: false }];
  const instead = settings.map((name) => `, or set ${name}`).join('');
  throw new UsageError(`no directory given: cofferdam [options] DIR…${instead} (see cofferdam --help)`);
}

function rootReader({ state: { address } }: Options): (text: string) => ServedRoot {
  return address === undefined ? toRoot : toNamedRoot;
}
