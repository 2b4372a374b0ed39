/**
 * Chooses the size of tests that fuzz, race or grow. `npm test` runs them at a size that catches the defects they were
 * written for. `npm run soak`, which sets COFFERDAM_SOAK=1, runs them at full size.
 */
const isSoak = process.env.COFFERDAM_SOAK === '1';

export function soak<T>(usual: T, full: T): T {
  return isSoak ? full : usual;
}
