/** From an argument list to what shall be done, or to one clear line about what is wrong with it. */
import { parseArgs } from 'node:util';
import type { Dialect } from '../dialects/dialect.ts';
import { defaultDialect, dialectNamed, dialects } from '../dialects/index.ts';
import type { CommandSettings, RootSpec } from '../engine/index.ts';
import { type Flag, flags } from './flags.ts';

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
  | { do: 'serve'; roots: RootSpec[]; options: Options }
  | { do: 'call'; tool: string; json: string; roots: RootSpec[]; options: Options }
  | { do: 'tools'; options: Options; named: boolean }
  | { do: 'doctor'; roots: RootSpec[]; options: Options };

/** Wrong use of the command line: told in one line, exit code 2. */
export class UsageError extends Error {}

export function parseCommand(argv: readonly string[]): Command {
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
      return parseCall(rest, options);
    case 'tools':
      if (rest.length > 0) throw new UsageError(`tools takes no argument: ${rest[0]}`);
      return { do: 'tools', options, named: named !== undefined };
    case 'doctor':
      return { do: 'doctor', roots: rest.map(toRoot), options };
    default:
      return { do: 'serve', roots: someRoots(positionals), options };
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

function parseCall([tool, json, ...directories]: string[], options: Options): Command {
  if (tool === undefined) throw new UsageError("call needs a tool: cofferdam call TOOL 'JSON' DIR…");
  if (json === undefined) throw new UsageError(`call ${tool} needs its arguments as JSON, for example '{}'`);
  return { do: 'call', tool, json, roots: someRoots(directories), options };
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

function someRoots(directories: readonly string[]): RootSpec[] {
  if (directories.length === 0) {
    throw new UsageError('no directory given: cofferdam [options] DIR… (cofferdam --help tells more)');
  }
  return directories.map(toRoot);
}

function toRoot(text: string): RootSpec {
  if (text === '' || text === ':ro') throw new UsageError('a directory name is empty');
  return text.endsWith(':ro') ? { path: text.slice(0, -3), writable: false } : { path: text, writable: true };
}
