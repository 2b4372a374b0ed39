/** Finds one dialect by its name. The build evaluates the others only when something asks for them. */
import type { Dialect } from './dialect.ts';
import { fileeditor } from './fileeditor/index.ts';
import { patch } from './patch/index.ts';
import { replay } from './replay/index.ts';
import { repo } from './repo/index.ts';
import { standard } from './standard/index.ts';
import { workspace } from './workspace/index.ts';

/** Lists of dialects follow this order. */
const byName: Readonly<Record<string, () => Dialect>> = {
  standard: () => standard,
  replay: () => replay,
  patch: () => patch,
  workspace: () => workspace,
  fileeditor: () => fileeditor,
  repo: () => repo,
};

export const dialectNames: readonly string[] = Object.keys(byName);

export const defaultDialect = 'standard';

export function dialectNamed(name: string): Dialect | undefined {
  return Object.hasOwn(byName, name) ? byName[name]!() : undefined;
}
