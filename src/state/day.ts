/** The days into which logs are split: UTC days, so that all servers agree on them. */
export const DAY_MS = 24 * 3_600_000;

/** The UTC day of a time, such as 2026-11-17. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
