/** Records for the tests of logs. */
import type { LogOptions } from '../../../src/state/log.ts';

export interface Numbered {
  n: number;
  writer?: string;
  text?: string;
}

export const numbered: LogOptions<Numbered> = {
  accept: (value) => (typeof (value as Numbered)?.n === 'number' ? (value as Numbered) : undefined),
  checksums: true,
};

/** Texts of many lengths, some of them longer than a page or a single write to a pipe. */
export function textOf(n: number): string {
  return 'x'.repeat((n * 9) % 9001);
}
