/** Maintains the table of planned changes together with the journal: a server that locks a path reads it. */
import type { PlannedChanges } from '../../log.ts';
import { rowOfPath } from '../locks/lock-rows.ts';

interface StatementPart {
  sql: string;
  values: readonly unknown[];
}

/**
 * Parts of the statement that writes records; `before` is the number of values that precede theirs. The parts of one
 * statement do not see each other's effects, so a change that is planned and ended in one batch must appear in none.
 */
export function plannedStatements(
  table: string,
  plans: readonly PlannedChanges[],
  before: number,
): StatementPart[] {
  const coming = new Map<string, Set<string>>();
  const ended = new Set<string>();
  const settled: { part: string; path: string }[] = [];
  for (const { part, paths, isEnd } of plans) {
    const known = coming.get(part);
    if (!isEnd) coming.set(part, new Set([...(known ?? []), ...(paths ?? [])]));
    else if (paths === undefined) {
      coming.delete(part);
      ended.add(part);
    } else {
      for (const path of paths) if (!known?.delete(path)) settled.push({ part, path });
    }
  }
  const added = [...coming].flatMap(([part, paths]) => [...paths].map((path) => ({ part, path })));
  const parts: StatementPart[] = [];
  const add = (values: readonly unknown[], sql: (...names: string[]) => string) => {
    const first = before + parts.reduce((sum, part) => sum + part.values.length, 0);
    parts.push({ values, sql: sql(...values.map((_, at) => `$${first + at + 1}`)) });
  };
  if (added.length > 0) {
    add(
      [added.map(keyOf), added.map(({ part }) => part)],
      (keys, names) => `planned AS (
           INSERT INTO ${table} (key, part) SELECT key, part FROM unnest(${keys}::bytea[], ${names}::text[]) AS each (key, part)
           ON CONFLICT DO NOTHING
         )`,
    );
  }
  if (ended.size > 0) {
    add([[...ended]], (names) => `ended AS (DELETE FROM ${table} WHERE part = ANY(${names}::text[]))`);
  }
  if (settled.length > 0) {
    add(
      [settled.map(keyOf), settled.map(({ part }) => part)],
      (keys, names) => `settled AS (
           DELETE FROM ${table} WHERE (key, part) IN (SELECT * FROM unnest(${keys}::bytea[], ${names}::text[]))
         )`,
    );
  }
  return parts;
}

function keyOf({ path }: { path: string }): Buffer {
  return Buffer.from(rowOfPath(path), 'hex');
}
