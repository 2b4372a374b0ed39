/** Arguments that are one value or a list of values: their schemas, and how several of them fit together. */
import { fail } from '../../engine/index.ts';

export function stringOrStrings(one: string, many: string) {
  return {
    oneOf: [
      { type: 'string', description: one },
      { type: 'array', items: { type: 'string' }, description: many },
    ],
  } as const;
}

export function integerOrIntegers(one: string, many: string, bounds: { minimum?: number } = {}) {
  return {
    oneOf: [
      { type: 'integer', description: one, ...bounds },
      { type: 'array', items: { type: 'integer', ...bounds }, description: many },
    ],
  } as const;
}

export function listOf<T>(value: T | T[]): T[] {
  return Array.isArray(value) ? value : [value];
}

/** The files of a call. Fails if there is none. */
export function filesOf(path: string | string[]): string[] {
  const paths = listOf(path);
  if (paths.length === 0) refuse('path', 'path names no file');
  return paths;
}

/** The most files that one call changes: each needs a place in the order of calls before the first one changes. */
const MOST_CHANGED = 5000;

/** The files that a call changes. Fails if one is named twice, before the engine touches any. */
export function changedFilesOf(path: string | string[]): string[] {
  const paths = filesOf(path);
  const seen = new Map<string, number>();
  for (const [index, each] of paths.entries()) {
    const first = seen.get(each);
    if (first !== undefined) fail({ kind: 'overlap', path: each, first: first + 1, second: index + 1 });
    if (index === MOST_CHANGED) {
      refuse('path', `path has ${paths.length} items, one call changes at most ${MOST_CHANGED} files`);
    }
    seen.set(each, index);
  }
  return paths;
}

/** One value for each of `count` files. A single value serves all of them. */
export function oneForEach<T>(field: string, value: T | T[], count: number): T[] {
  if (!Array.isArray(value)) return new Array<T>(count).fill(value);
  if (value.length !== count) {
    refuse(field, `${field} has ${value.length} items for ${count} ${count === 1 ? 'file' : 'files'}`);
  }
  return value;
}

export function refuse(field: string, message: string): never {
  fail({ kind: 'bad-arguments', problems: [{ field, missing: false, message }] });
}
