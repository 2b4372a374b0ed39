/** The policy of a command: its options, the values that they take, and what its operands are. */

import { fail } from '../../failures.ts';

/** What a value is. Only a `path` is checked by the wall, and only a `script` is checked for what it would do. */
export type ValueKind = 'path' | 'number' | 'pattern' | 'script' | 'text';

/** One option that takes a value. An array in `takes` lists all the words that the value may be. */
export interface ValueOption {
  /** All names of the option, separated by spaces: `n lines`. A name of one character is a short option. */
  names: string;
  takes: ValueKind | readonly string[];
  /** The caller may leave the value out, and must attach it otherwise: `--color`, `--color=never`. */
  optional?: true;
}

/** An option that exists but is not allowed, with the reason and perhaps what to use instead. */
export interface RefusedOption {
  names: string;
  reason: string;
  instead?: string;
}

/** Why an option that names a list of files is not allowed. */
export const LISTS_FILES = {
  reason: 'the file names in that list cannot be checked',
  instead: 'name the files as operands',
} as const;

export interface OperandRule {
  /** The first operand is not a path but this, unless one of the options named in `unless` already gave it. */
  leading?: { takes: 'pattern' | 'script'; unless: string };
  rest: 'path' | 'text';
  atMost?: number;
  /** Why there may be no more operands. */
  tooMany?: { reason: string; instead?: string };
  /** Matches operands that are not paths although they are in the place of one: `FS=:` of awk. */
  exempt?: RegExp;
}

/** Two sets of options that are harmless alone, but not together. */
export interface Clash {
  these: string;
  those: string;
  reason: string;
  instead?: string;
}

export interface CommandPolicy {
  name: string;
  /** Options without a value, each as its names, separated by spaces. */
  flags: readonly string[];
  values: readonly ValueOption[];
  refused: readonly RefusedOption[];
  operands: OperandRule;
  clashes?: readonly Clash[];
  /** The command does not open its operands, so that a FIFO or device is harmless. */
  metadataOnly?: true;
  /** `-` is a file name, not the (empty) standard input. */
  dashIsName?: true;
  /** Options end at the first operand, as in awk. */
  ordered?: true;
  /** `-f=x` means `-f x`, not `-f '=x'`, as in rg. */
  shortEquals?: true;
  /** Translates an argument such as `-5` into declared options. Undefined when the argument is no shorthand. */
  shorthand?: (argument: string) => readonly string[] | undefined;
  /** Arguments that always come first. */
  always?: readonly string[];
  /** Arguments that come first when the installed program is GNU's. */
  alwaysGnu?: readonly string[];
  /** Options that follow those of the caller, and so override them. */
  last?: (line: InspectedLine, installed: Installed) => readonly string[];
  /** Checks the whole line after each part of it was allowed. */
  inspect?: (line: InspectedLine) => void;
  /** Reads arguments that do not consist of options and operands. */
  grammar?: (args: readonly string[], takePath: TakePath) => readonly string[];
}

/** A path among the arguments, as the wall resolves it. */
export interface PathArgument {
  /** What the command gets: usually the argument as the caller wrote it. */
  path: string;
  type: 'file' | 'directory' | 'symlink' | 'special' | 'missing';
  /** The path with all links resolved, when something is there. */
  real?: string;
}

/**
 * Resolves a path as the command itself would, following links. Fails with `outside` when that leaves the roots. A
 * missing file is no failure: the command itself reports it.
 */
export type ResolvePath = (operand: string) => PathArgument;

/** What a policy can ask about the installed program and the files of the call. */
export interface Installed {
  /** Whether the program is GNU's, or another one with the same safeguards. */
  gnu: boolean;
  /** The type of what is at a path. */
  typeOf: (path: string) => PathArgument['type'] | 'outside';
}

/** Resolves one path argument and returns what the command gets in its place. */
export type TakePath = (argument: string) => string;

export interface InspectedLine {
  /** The first name of each option of the call. */
  options: ReadonlySet<string>;
  scripts: readonly string[];
  /** Operands and values that are paths. */
  paths: readonly PathArgument[];
  /** Operands that are not paths although they are in the place of one. */
  exempt: readonly string[];
  values: readonly { option: string; value: string }[];
}

/** Fails: no command opens a FIFO, a socket or a device. */
export function refuseSpecial(command: string, path: string): never {
  refuse(command, path, 'this is a FIFO, a socket or a device, which is never opened');
}

/** Fails: this argument is not allowed. */
export function refuse(command: string, argument: string, reason: string, instead?: string): never {
  fail({ kind: 'argument-not-allowed', command, argument, reason, ...(instead && { instead }) });
}
