/** A count with its noun: `1 entry`, `2,000 entries`. */
import { grouped } from './grouped.ts';

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
