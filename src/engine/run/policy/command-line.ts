/** Parses arguments as getopt does, but accepts only the options that a policy declares. */

import type { CommandPolicy, RefusedOption, ValueOption } from './declaration.ts';
import { refuse } from './declaration.ts';
import { failTooLong, MOST_ARGUMENTS } from './length.ts';

export interface ParsedOption {
  /** The option's first declared name, whichever name the caller used. */
  id: string;
  /** The option as the program gets it: `-n` or `--lines`. */
  written: string;
  declared: ValueOption | undefined;
  value: string | undefined;
}

export interface CommandLine {
  options: ParsedOption[];
  operands: string[];
}

type KnownOption =
  | { kind: 'flag'; id: string }
  | { kind: 'value'; id: string; option: ValueOption }
  | { kind: 'refused'; option: RefusedOption };

const tables = new WeakMap<CommandPolicy, ReadonlyMap<string, KnownOption>>();

function optionTable(policy: CommandPolicy): ReadonlyMap<string, KnownOption> {
  const ready = tables.get(policy);
  if (ready) return ready;
  const table = new Map<string, KnownOption>();
  const add = (names: string, known: (id: string) => KnownOption) => {
    const all = names.split(' ');
    for (const name of all) table.set(name, known(all[0]!));
  };
  for (const names of policy.flags) add(names, (id) => ({ kind: 'flag', id }));
  for (const option of policy.values) add(option.names, (id) => ({ kind: 'value', id, option }));
  for (const option of policy.refused) add(option.names, () => ({ kind: 'refused', option }));
  tables.set(policy, table);
  return table;
}

/** Splits `args` into options and operands, and refuses options that the policy does not declare. */
export function readCommandLine(policy: CommandPolicy, args: readonly string[]): CommandLine {
  const line: CommandLine = { options: [], operands: [] };
  // Reversed, so that the next argument is the last: removing the first of a long list would move all the others.
  const rest = args.toReversed();
  while (rest.length > 0) {
    const argument = rest.pop()!;
    if (argument === '--') {
      line.operands.push(...rest.reverse());
      break;
    }
    const meant = policy.shorthand?.(argument);
    if (meant) {
      rest.push(...meant.toReversed());
      continue;
    }
    if (argument.startsWith('--')) readLong(policy, argument, rest, line);
    else if (argument.startsWith('-') && argument.length > 1) readShort(policy, argument, rest, line);
    else if (policy.ordered) {
      line.operands.push(argument, ...rest.reverse());
      break;
    } else line.operands.push(argument);
  }
  return line;
}

function readLong(policy: CommandPolicy, argument: string, rest: string[], line: CommandLine): void {
  const equals = argument.indexOf('=');
  const name = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
  const attached = equals < 0 ? undefined : argument.slice(equals + 1);
  const known = name.length > 1 ? optionTable(policy).get(name) : undefined;
  const written = `--${name}`;
  if (!known) refuseUnknown(policy, name, written);
  if (known.kind === 'refused') refuse(policy.name, written, known.option.reason, known.option.instead);
  if (known.kind === 'flag') {
    if (attached !== undefined) refuse(policy.name, written, `${written} takes no value`);
    add(policy, line, { id: known.id, written, declared: undefined, value: undefined });
    return;
  }
  const value = attached ?? (known.option.optional ? undefined : rest.pop());
  if (value === undefined && !known.option.optional) refuse(policy.name, written, `${written} needs a value`);
  add(policy, line, { id: known.id, written, declared: known.option, value });
}

function readShort(policy: CommandPolicy, argument: string, rest: string[], line: CommandLine): void {
  for (let at = 1; at < argument.length; at++) {
    const letter = argument[at]!;
    const written = `-${letter}`;
    const known = optionTable(policy).get(letter);
    if (!known) refuseUnknown(policy, letter, written);
    if (known.kind === 'refused') refuse(policy.name, written, known.option.reason, known.option.instead);
    if (known.kind === 'flag') {
      add(policy, line, { id: known.id, written, declared: undefined, value: undefined });
      continue;
    }
    let value: string | undefined = argument.slice(at + 1);
    if (policy.shortEquals && value.startsWith('=')) value = value.slice(1);
    else if (value === '') value = known.option.optional ? undefined : rest.pop();
    if (value === undefined && !known.option.optional)
      refuse(policy.name, written, `${written} needs a value`);
    add(policy, line, { id: known.id, written, declared: known.option, value });
    return;
  }
}

/** Fails when there are too many options: one argument may hold a million letters, each of them an option. */
function add(policy: CommandPolicy, { options }: CommandLine, option: ParsedOption): void {
  if (options.length === MOST_ARGUMENTS) failTooLong(policy.name);
  options.push(option);
}

function refuseUnknown(policy: CommandPolicy, name: string, written: string): never {
  const names = written.startsWith('--') && name !== '' ? [...optionTable(policy).keys()] : [];
  const meant = names.filter((full) => full.length > 1 && full.startsWith(name));
  if (meant.length === 0) {
    refuse(policy.name, written, `not among the options of ${policy.name} that are allowed`);
  }
  const full = meant.map((one) => `--${one}`).join(', ');
  refuse(policy.name, written, `options are not abbreviated here; this could be ${full}`);
}

/** The line in the one form that all versions of a program read in the same way: options, `--`, operands. */
export function writeCommandLine(line: CommandLine): string[] {
  const args: string[] = [];
  for (const { written, declared, value } of line.options) {
    if (value === undefined) args.push(written);
    else if (written.startsWith('--')) args.push(`${written}=${value}`);
    else if (declared?.optional) args.push(written + value);
    else args.push(written, value);
  }
  return line.operands.length === 0 ? args : [...args, '--', ...line.operands];
}
