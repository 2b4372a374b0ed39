/** The policy of a command: its options, the values that they take, and what its operands are. */

import { fail } from '../../failures.ts';

/** What a value is. Only a `path` goes through the wall; only a `script` is read for what it would do. */
export type ValueKind = 'path' | 'number' | 'pattern' | 'script' | 'text';

/** One option that takes a value. An array in `takes` is the complete list of words that it may be. */
export interface ValueOption {
  /** All names of the option, by spaces: `n lines`. One character is a short name, more are a long one. */
  names: string;
  takes: ValueKind | readonly string[];
  /** The caller may leave the value out; a value must be attached: `--color`, `--color=never`. */
  optional?: true;
}

/** An option that exists and is not allowed, with the reason and, where there is one, what to use instead. */
export interface RefusedOption {
  names: string;
  reason: string;
  instead?: string;
}

export interface OperandRule {
  /** The first operand is no path, unless one of the options named in `unless` already gave it. */
  leading?: { takes: 'pattern' | 'script'; unless: string };
  rest: 'path' | 'text';
  atMost?: number;
  /** Why there may be no more operands. */
  tooMany?: { reason: string; instead?: string };
  /** Operands that are not paths although they are where paths usually are: `FS=:` of awk. */
  exempt?: RegExp;
}

/** Two sets of options that are harmless alone and not together. */
export interface Clash {
  these: string;
  those: string;
  reason: string;
  instead?: string;
}

export interface CommandPolicy {
  name: string;
  /** Options without a value, each as its names by spaces. */
  flags: readonly string[];
  values: readonly ValueOption[];
  refused: readonly RefusedOption[];
  operands: OperandRule;
  clashes?: readonly Clash[];
  /** The command opens none of its operands, so that a FIFO or device is harmless. */
  metadataOnly?: true;
  /** `-` is a file name and not the (empty) standard input. */
  dashIsName?: true;
  /** Options end at the first operand, as in awk. */
  ordered?: true;
  /** `-f=x` means `-f x` and not `-f '=x'`, as in rg. */
  shortEquals?: true;
  /** What `-5` and the like mean in options that are declared; undefined when it is no such shorthand. */
  shorthand?: (argument: string) => readonly string[] | undefined;
  /** Arguments that always go in front. */
  always?: readonly string[];
  /** Arguments that go in front when the installed program is GNU's. */
  alwaysGnu?: readonly string[];
  /** Options that go behind those of the caller, so that they override them. */
  last?: (line: InspectedLine, installed: Installed) => readonly string[];
  /** Checks the whole line, after every part of it was allowed. */
  inspect?: (line: InspectedLine) => void;
  /** A grammar of its own, in place of options and operands. */
  grammar?: (args: readonly string[], takePath: TakePath) => readonly string[];
}

/** A path among the arguments, as the wall resolves it. */
export interface PathArgument {
  /** What the command gets; usually the argument as it came. */
  path: string;
  type: 'file' | 'directory' | 'symlink' | 'special' | 'missing';
  /** The path with all links resolved, when something is there. */
  real?: string;
}

/**
 * Resolves a path as the command itself would, following links. Fails with `outside` when that leaves the roots. A
 * missing file is no failure: the command itself complains about it.
 */
export type ResolvePath = (operand: string) => PathArgument;

/** What a policy may know about the machine and the directory of the call. */
export interface Installed {
  /** Whether the program is GNU's, or one that has the same safeguards. */
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
  /** Operands that are not paths although they are where paths usually are. */
  exempt: readonly string[];
  values: readonly { option: string; value: string }[];
}

/** Fails: this argument is not allowed. */
export function refuse(command: string, argument: string, reason: string, instead?: string): never {
  fail({ kind: 'argument-not-allowed', command, argument, reason, ...(instead && { instead }) });
}
