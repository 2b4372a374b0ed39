/** All dialects, in the order in which they are listed. */
import type { Dialect } from './dialect.ts';
import { replay } from './replay/index.ts';

export const dialects: readonly Dialect[] = [replay];

export const defaultDialect = replay.name;

export function dialectNamed(name: string): Dialect | undefined {
  return dialects.find((dialect) => dialect.name === name);
}
