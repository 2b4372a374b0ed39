/** Decides on the arguments of a command before anything starts, and writes allowed ones in their simplest form. */

import { EngineFailure, fail } from '../../failures.ts';
import type { CommandLine, ParsedOption } from './command-line.ts';
import { readCommandLine, writeCommandLine } from './command-line.ts';
import type { CommandPolicy, InspectedLine, Installed, PathArgument, ResolvePath } from './declaration.ts';
import { refuse, refuseSpecial } from './declaration.ts';

export interface CheckContext {
  /** The commands that may be called. */
  policies: ReadonlyMap<string, CommandPolicy>;
  resolvePath: ResolvePath;
  /** Whether the installed program of this name is GNU's, so that its own safeguards can be switched on. */
  isGnu?: (command: string) => boolean;
}

export interface CheckedCommand {
  /** What to pass to the program: options, then `--`, then operands. */
  args: readonly string[];
  /** The paths among the arguments. */
  paths: readonly PathArgument[];
  /** Whether the command asks only for the metadata of its operands. */
  metadataOnly: boolean;
}

/** Options that take a number may carry a sign, and a unit: `-5`, `+3`, `10K`, `90%`. */
const NUMBER = /^[-+]?\d+(?:\.\d+)?(?:[A-Za-z]{1,3}|%)?$/;

/**
 * Checks one call: refuses every option that the command's policy does not declare, has the wall check every path, and
 * checks what every script would do. It starts nothing and opens nothing.
 */
export function checkArgv(command: string, args: readonly string[], context: CheckContext): CheckedCommand {
  const policy = context.policies.get(command);
  if (!policy) fail({ kind: 'command-not-allowed', command, allowed: [...context.policies.keys()] });
  const withNul = args.find((argument) => argument.includes('\0'));
  if (withNul !== undefined) refuse(command, withNul, 'an argument cannot contain a NUL character');

  const paths: PathArgument[] = [];
  const { metadataOnly = false } = policy;
  const take = (operand: string, opens: boolean) =>
    acceptPath(policy, operand, opens, context.resolvePath, paths);
  const takePath = (operand: string) => take(operand, !metadataOnly);
  const checked = policy.grammar
    ? policy.grammar(args, takePath)
    : checkLine(policy, args, paths, take, installedFor(command, context));
  const front = [...(policy.always ?? [])];
  if (policy.alwaysGnu && context.isGnu?.(command)) front.push(...policy.alwaysGnu);
  return { args: [...front, ...checked], paths, metadataOnly };
}

function checkLine(
  policy: CommandPolicy,
  args: readonly string[],
  paths: readonly PathArgument[],
  take: (operand: string, opens: boolean) => string,
  installed: Installed,
): readonly string[] {
  const line = readCommandLine(policy, args);
  refuseClashes(policy, line.options);
  const scripts: string[] = [];
  const exempt: string[] = [];
  for (const option of line.options) {
    if (option.value === undefined || !option.declared) continue;
    // A command that asks only for the metadata of its operands still opens what an option names.
    option.value = acceptValue(policy, option, option.value, scripts, (value) => take(value, true));
  }
  line.operands = acceptOperands(policy, line, scripts, exempt, (operand) =>
    take(operand, !policy.metadataOnly),
  );
  const whole = inspected(line, scripts, exempt, paths);
  policy.inspect?.(whole);
  for (const written of policy.last?.(whole, installed) ?? []) {
    line.options.push({ id: written, written, declared: undefined, value: undefined });
  }
  return writeCommandLine(line);
}

function installedFor(command: string, { isGnu, resolvePath }: CheckContext): Installed {
  return {
    gnu: isGnu?.(command) ?? true,
    typeOf: (path) => {
      try {
        return resolvePath(path).type;
      } catch (thrown) {
        if (thrown instanceof EngineFailure) return 'outside';
        throw thrown;
      }
    },
  };
}

function acceptValue(
  policy: CommandPolicy,
  option: ParsedOption,
  value: string,
  scripts: string[],
  takePath: (operand: string) => string,
): string {
  const takes = option.declared!.takes;
  if (typeof takes !== 'string') {
    if (takes.includes(value)) return value;
    return refuse(policy.name, `${option.written} ${value}`, `${option.written} takes ${takes.join(', ')}`);
  }
  if (takes === 'number' && !NUMBER.test(value)) {
    refuse(policy.name, `${option.written} ${value}`, `${option.written} takes a number`);
  }
  if (takes === 'script') scripts.push(value);
  return takes === 'path' ? takePath(value) : value;
}

function acceptOperands(
  policy: CommandPolicy,
  line: CommandLine,
  scripts: string[],
  exempt: string[],
  takePath: (operand: string) => string,
): string[] {
  const { leading, rest, atMost, tooMany } = policy.operands;
  const unless = new Set(leading?.unless.split(' '));
  const leads = leading !== undefined && !line.options.some(({ id }) => unless.has(id));
  const paths = leads ? line.operands.slice(1) : line.operands;
  if (atMost !== undefined && paths.length > atMost) {
    const reason = tooMany?.reason ?? `${policy.name} takes at most ${atMost} operands`;
    refuse(policy.name, paths[atMost]!, reason, tooMany?.instead);
  }
  return line.operands.map((operand, index) => {
    if (leads && index === 0) {
      if (leading.takes === 'script') scripts.push(operand);
      return operand;
    }
    if (rest === 'text') return operand;
    if (!policy.operands.exempt?.test(operand)) return takePath(operand);
    exempt.push(operand);
    return operand;
  });
}

function acceptPath(
  policy: CommandPolicy,
  operand: string,
  opens: boolean,
  resolvePath: ResolvePath,
  paths: PathArgument[],
): string {
  if (operand === '-' && !policy.dashIsName) return operand;
  const found = resolvePath(operand);
  if (found.type === 'special' && opens) {
    refuseSpecial(policy.name, operand);
  }
  paths.push(found);
  return guarded(policy, found.path);
}

/** Rewrites a path that the command would mistake for its standard input or for something other than a path. */
function guarded(policy: CommandPolicy, path: string): string {
  return path === '-' || policy.operands.exempt?.test(path) ? `./${path}` : path;
}

function refuseClashes(policy: CommandPolicy, options: readonly ParsedOption[]): void {
  for (const clash of policy.clashes ?? []) {
    const these = new Set(clash.these.split(' '));
    const those = new Set(clash.those.split(' '));
    const first = options.find(({ id }) => these.has(id));
    const second = options.find(({ id }) => those.has(id));
    if (first && second) {
      refuse(policy.name, `${first.written} ${second.written}`, clash.reason, clash.instead);
    }
  }
}

function inspected(
  line: CommandLine,
  scripts: readonly string[],
  exempt: readonly string[],
  paths: readonly PathArgument[],
): InspectedLine {
  const values: { option: string; value: string }[] = [];
  for (const { id, value } of line.options) if (value !== undefined) values.push({ option: id, value });
  return { options: new Set(line.options.map(({ id }) => id)), scripts, exempt, paths, values };
}
