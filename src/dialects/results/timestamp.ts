/** The latest time that a Date can hold. Some file systems store later ones. */
const LATEST_MS = 8.64e15;

export function timestamp(ms: number): string {
  return new Date(Math.max(-LATEST_MS, Math.min(ms, LATEST_MS))).toISOString();
}
