/** The last moment that a date can name; some file systems store later ones. */
const LATEST_MS = 8.64e15;

export function timestamp(ms: number): string {
  return new Date(Math.max(-LATEST_MS, Math.min(ms, LATEST_MS))).toISOString();
}
