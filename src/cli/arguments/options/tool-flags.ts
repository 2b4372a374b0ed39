/** Chooses the tools of the dialects that a server offers, and how long their answers may be. */
import type { Dialect } from '../../../dialects/dialect.ts';
import { withTools } from '../../../dialects/with-tools.ts';
import { UsageError } from '../../usage-error.ts';
import type { OptionValues } from '../split.ts';
import { namesInstead } from '../suggest.ts';
import { flags } from './flags.ts';
import { wholeNumberOf } from './option-value.ts';

export interface ToolValues {
  tools?: string[];
  toolset?: string[];
  'allow-run'?: boolean;
}

export function chooseTools(dialects: readonly Dialect[], values: ToolValues): Dialect[] {
  const named = listOf(values.tools);
  const allowed = dialects.map((dialect) =>
    withTools(dialect, ({ needsAllowRun }) => !needsAllowRun || values['allow-run'] === true),
  );
  const known = allowed.flatMap(({ tools }) => tools.map(({ name }) => name));
  for (const name of named ?? []) {
    if (!known.includes(name))
      throw new UsageError(`--tools: unknown tool '${name}'${namesInstead(name, 'tools', known)}`);
  }
  const inSets = inToolsets(allowed, listOf(values.toolset));
  if (named === undefined && inSets === undefined) return allowed;
  const wanted = new Set([...(named ?? []), ...(inSets ?? [])]);
  return allowed.map((dialect) => withTools(dialect, ({ name }) => wanted.has(name)));
}

/** The tools of the named sets. */
function inToolsets(
  dialects: readonly Dialect[],
  names: readonly string[] | undefined,
): readonly string[] | undefined {
  if (names === undefined) return undefined;
  const sets = dialects.flatMap((dialect) => Object.entries(dialect.toolsets ?? {}));
  if (sets.length === 0) {
    throw new UsageError('--toolset is for the standard dialect; --tools names tools of any dialect');
  }
  const known = [...new Set(sets.map(([name]) => name)), 'all'];
  return names.flatMap((name) => {
    if (!known.includes(name))
      throw new UsageError(`--toolset: unknown set '${name}'${namesInstead(name, 'sets', known)}`);
    return sets.filter(([set]) => name === 'all' || set === name).flatMap(([, tools]) => tools);
  });
}

function listOf(values: readonly string[] | undefined): string[] | undefined {
  return values?.flatMap((list) => list.split(',')).map((name) => name.trim());
}

/** Warnings about options for a dialect that the server does not serve. */
export function ineffectiveOptions(values: OptionValues, dialects: readonly Dialect[]): string[] {
  return flags.flatMap(({ name, dialect }) => {
    if (values[name] === undefined || dialect === undefined) return [];
    if (dialects.some((served) => served.name === dialect)) return [];
    return [`--${name} is for the ${dialect} dialect, which is not served: give --dialect ${dialect} too`];
  });
}

/** With fewer tokens, an answer could not hold anything besides the hint on how to continue. */
const LEAST_TOKENS = 200;

export function parseMaxTokens(text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumberOf('max-tokens', text, LEAST_TOKENS);
}
