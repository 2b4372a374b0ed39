/** All dialects, in the order in which they are listed. */
import { dialectNamed, dialectNames } from './by-name.ts';
import type { Dialect } from './dialect.ts';

export const dialects: readonly Dialect[] = dialectNames.map((name) => dialectNamed(name)!);
