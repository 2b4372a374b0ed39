/**
 * Reads options and directories from the file that --config names, for users who do not want them on the command line.
 *
 * The file is JSON, which may have comments, or TOML with a table [cofferdam]. Its keys are the names of the options
 * and `directories`. Relative paths start from the directory of the file. An option on the command line replaces the
 * one in the file; only the globs of --deny and --hide are added up, so that a slip does not drop any.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { expandHome } from '../../expand-home.ts';
import { isInside } from '../../is-inside.ts';
import { isObject } from '../../json/is-object.ts';
import { ConfigProblem } from '../clients/formats/format.ts';
import { json } from '../clients/formats/json.ts';
import { toml } from '../clients/formats/toml.ts';
import { UsageError } from '../usage-error.ts';
import type { CommandName } from './commands.ts';
import { type Flag, flagNamed, flags, inConfig, takes } from './options/flags.ts';
import type { RootArgument } from './roots.ts';
import type { Arguments, OptionValues } from './split.ts';
import { didYouMean } from './suggest.ts';

export interface ConfigFile {
  /** The absolute path of the file. */
  path: string;
  values: OptionValues;
  directories: readonly string[];
}

const TABLE = 'cofferdam';
const DIRECTORIES = 'directories';
/** The key by which an editor finds the schema. */
const SCHEMA = '$schema';
const ADD_UP: readonly string[] = ['deny', 'hide'];

export function readConfig(file: string, home: string): ConfigFile {
  const path = resolve(file);
  const table = tableIn(path, file);
  const values: Record<string, string | string[] | boolean> = {};
  let directories: readonly string[] = [];
  const place = (text: string) => resolve(dirname(path), expandHome(text, home));
  for (const [key, value] of Object.entries(table)) {
    if (key === SCHEMA) continue;
    if (key === DIRECTORIES) directories = textsOf(file, key, value).map(place);
    else values[key] = valueOfFlag(file, flagInConfig(file, key), value, place);
  }
  return { path, values, directories };
}

/** The commands that take directories, and how many arguments come before the directories. */
const TAKES_DIRECTORIES: Partial<Record<CommandName, number>> = { serve: 0, start: 0, doctor: 0, call: 2 };

/** The arguments of a command, with what the file adds to the command line. */
export function withConfig(given: Arguments, config: ConfigFile): Arguments {
  const { command, rest } = given;
  const values = mergedValues(command, given.values, config);
  const before = TAKES_DIRECTORIES[command];
  if (before === undefined || rest.length > before || values['client-roots']) return { ...given, values };
  return { ...given, values, rest: [...rest, ...config.directories] };
}

function mergedValues(command: CommandName, given: OptionValues, { values }: ConfigFile): OptionValues {
  const fitting = Object.entries(values).filter(([name]) => takes(command, flagNamed(name)!));
  const merged: Record<string, string | string[] | boolean | undefined> = {
    ...Object.fromEntries(fitting),
    ...given,
  };
  for (const name of ADD_UP) {
    if (!(name in merged)) continue;
    const both = [values[name], given[name]].flatMap((each) => (each as string[] | undefined) ?? []);
    merged[name] = both;
  }
  return merged;
}

/** Fails when tools could change the file, and so give themselves more rights at the next start. */
export function requireOutOfReach({ path }: ConfigFile, roots: readonly RootArgument[]): void {
  for (const root of roots) {
    if (!root.writable || !isReachable(path, root.path)) continue;
    throw new UsageError(
      `--config ${path}: tools may change this file, since it is in ${root.path}; move it elsewhere, or serve that directory read-only`,
    );
  }
}

function isReachable(path: string, directory: string): boolean {
  try {
    return isInside(realpathSync(path), realpathSync(directory));
  } catch {
    // A directory that does not exist is not served.
    return false;
  }
}

function tableIn(path: string, file: string): object {
  const isToml = extname(path) === '.toml';
  const table = isToml
    ? (parsed(path, file, toml) as Record<string, unknown>)[TABLE]
    : parsed(path, file, json);
  if (isObject(table)) return table;
  throw new UsageError(
    isToml
      ? `--config ${file}: it has no table [${TABLE}]`
      : `--config ${file}: it must hold one object, such as {"directories": ["~/code"]}`,
  );
}

function parsed(path: string, file: string, format: typeof json): unknown {
  try {
    return format.read(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    if (error instanceof ConfigProblem) {
      const { line, column, message } = error;
      const where = line === undefined ? '' : `:${line}:${column}`;
      throw new UsageError(`--config ${file}${where}: ${message}`);
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(`--config ${file}: it cannot be read (${code})`);
  }
}

function flagInConfig(file: string, key: string): Flag {
  const names = flags.filter(inConfig).map(({ name }) => name);
  const flag = flagNamed(key);
  if (flag && inConfig(flag)) return flag;
  if (flag) throw new UsageError(`--config ${file}: ${key} is for the command line only`);
  throw new UsageError(
    `--config ${file}: unknown option ${JSON.stringify(key)}${didYouMean(key, [...names, DIRECTORIES])}`,
  );
}

function valueOfFlag(
  file: string,
  flag: Flag,
  value: unknown,
  place: (text: string) => string,
): string | string[] | boolean {
  const { name } = flag;
  if (!flag.value) {
    if (typeof value === 'boolean') return value;
    throw new UsageError(`--config ${file}: ${name} is true or false`);
  }
  if (name === 'state' && /^postgres(ql)?:/i.test(String(value)))
    throw new UsageError(`--config ${file}: the address of a database holds a password: give a state-file`);
  const isPath = /^(FILE|DIR)/.test(flag.value);
  const texts = textsOf(file, name, value).map((text) => (isPath ? place(text) : text));
  if (flag.repeatable) return texts;
  if (texts.length !== 1 || Array.isArray(value))
    throw new UsageError(`--config ${file}: ${name} takes one value`);
  return texts[0]!;
}

function textsOf(file: string, key: string, value: unknown): string[] {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  return given.map((each) => {
    if (typeof each === 'string' || typeof each === 'number' || typeof each === 'bigint') return String(each);
    throw new UsageError(`--config ${file}: ${key} takes text${Array.isArray(value) ? 's' : ''}`);
  });
}
