/** All dialects, in the order in which they are listed. */
import type { Dialect } from './dialect.ts';
import { fileeditor } from './fileeditor/index.ts';
import { patch } from './patch/index.ts';
import { replay } from './replay/index.ts';
import { repo } from './repo/index.ts';
import { standard } from './standard/index.ts';
import { workspace } from './workspace/index.ts';

export const dialects: readonly Dialect[] = [standard, replay, patch, workspace, fileeditor, repo];

export const defaultDialect = standard.name;

export function dialectNamed(name: string): Dialect | undefined {
  return dialects.find((dialect) => dialect.name === name);
}
