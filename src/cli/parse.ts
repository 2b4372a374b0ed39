/** From an argument list to what shall be done, or to one clear line about what is wrong with it. */
import { parseArgs } from 'node:util';
import type { Dialect } from '../dialects/dialect.ts';
import { defaultDialect, dialectNamed, dialects } from '../dialects/index.ts';
import type { CommandSettings, RootSpec } from '../engine/index.ts';
import type { HttpRequest } from '../server/http/start.ts';
import { type Flag, flags } from './flags.ts';
import { type HttpValues, parseHttp } from './http-flags.ts';
import { UsageError } from './usage-error.ts';

export { UsageError };

export interface Options {
  dialects: Dialect[];
  readOnly: boolean;
  json: boolean;
  explain: boolean;
  commands: CommandSettings;
}

export type Command =
  | { do: 'help' }
  | { do: 'version' }
  | { do: 'serve'; roots: RootSpec[]; options: Options; http?: HttpRequest | undefined }
  | { do: 'call'; tool: string; json: string; roots: RootSpec[]; options: Options }
  | { do: 'tools'; options: Options; named: boolean }
  | { do: 'doctor'; roots: RootSpec[]; options: Options };

export type Environment = Readonly<Record<string, string | undefined>>;

export function parseCommand(argv: readonly string[], environment: Environment): Command {
  const { values, positionals } = parse(argv);
  if (values.help) return { do: 'help' };
  if (values.version) return { do: 'version' };
  const named = values.dialect as string[] | undefined;
  const options: Options = {
    dialects: chooseDialects(named ?? [defaultDialect]),
    readOnly: values['read-only'] === true,
    json: values.json === true,
    explain: values.explain === true,
    commands: commandSettings(values),
  };
  const [first, ...rest] = positionals;
  switch (first) {
    case 'call':
      return parseCall(rest, options, environment);
    case 'tools':
      if (rest.length > 0) throw new UsageError(`tools takes no argument: ${rest[0]}`);
      return { do: 'tools', options, named: named !== undefined };
    case 'doctor':
      return { do: 'doctor', roots: rest.map(toRoot), options };
    default:
      return {
        do: 'serve',
        roots: someRoots(positionals, options, environment),
        options,
        http: parseHttp(values as HttpValues),
      };
  }
}

function parse(argv: readonly string[]) {
  const all: readonly Flag[] = flags;
  const options = Object.fromEntries(
    all.map((flag) => [
      flag.name,
      flag.value
        ? { type: 'string' as const, multiple: flag.repeatable ?? false }
        : { type: 'boolean' as const },
    ]),
  );
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    const [firstSentence] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(firstSentence!.replace(/\.$/, ''));
  }
}

function commandSettings(values: Record<string, unknown>): CommandSettings {
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
    passEnv: (values.env ?? []) as string[],
  };
}

function parseCall(
  [tool, json, ...directories]: string[],
  options: Options,
  environment: Environment,
): Command {
  if (tool === undefined) throw new UsageError("call needs a tool: cofferdam call TOOL 'JSON' DIR…");
  if (json === undefined) throw new UsageError(`call ${tool} needs its arguments as JSON, for example '{}'`);
  return { do: 'call', tool, json, roots: someRoots(directories, options, environment), options };
}

function chooseDialects(named: readonly string[]): Dialect[] {
  const names = named.flatMap((list) => list.split(','));
  return [...new Set(names)].map((name) => {
    const found = dialectNamed(name);
    if (found) return found;
    const known = dialects.map((dialect) => dialect.name).join(', ');
    throw new UsageError(`unknown dialect '${name}'; the dialects are: ${known}`);
  });
}

/** When none is given, a dialect's own setting may name one: that gives leave to look there, not to change. */
function someRoots(
  directories: readonly string[],
  { dialects: chosen }: Options,
  environment: Environment,
): RootSpec[] {
  if (directories.length > 0) return directories.map(toRoot);
  const settings = chosen.flatMap(({ rootSetting }) => rootSetting ?? []);
  const path = settings.map((name) => environment[name]).find((value) => value);
  if (path !== undefined) return [{ path, writable: false }];
  const instead = settings.map((name) => `, or set ${name}`).join('');
  throw new UsageError(
    `no directory given: cofferdam [options] DIR…${instead} (cofferdam --help tells more)`,
  );
}

function toRoot(text: string): RootSpec {
  if (text === '' || text === ':ro') throw new UsageError('a directory name is empty');
  return text.endsWith(':ro') ? { path: text.slice(0, -3), writable: false } : { path: text, writable: true };
}
