/** As much of a diff as an answer may hold. */

import { grouped } from '../../../display/grouped.ts';
import { truncateToBytes } from '../../../display/truncate-bytes.ts';

export interface RestOfDiff {
  /** What the answer may take. */
  bytes: number;
  /** The call that reads on at a line of the file as it is now; none where nothing was changed. */
  next: ((line: number) => string) | undefined;
}

/** Of a diff that is too long, the first lines, each cut where it is long itself. */
export function shownDiff(
  hunks: string,
  bytes: number,
  next: RestOfDiff['next'],
): { hunks: string; note: string } {
  if (Buffer.byteLength(hunks) <= bytes) return { hunks, note: '' };
  const lines = hunks.split('\n').slice(0, -1);
  const shown: string[] = [];
  let room = bytes;
  let line = 1;
  for (const each of lines) {
    const own = truncateToBytes(each, bytes >> 2);
    room -= Buffer.byteLength(own) + 1;
    if (room < 0) break;
    shown.push(own);
    line = lineAfter(line, each);
  }
  const goesOn = next === undefined ? '' : `; ${next(line)}`;
  const what = `${grouped(shown.length)} of ${grouped(lines.length)} lines of the diff`;
  return { hunks: `${shown.join('\n')}\n`, note: `[${what}${goesOn}]\n` };
}

/** The line of the new file that follows a line of the diff. */
function lineAfter(line: number, shown: string): number {
  const start = /^@@ -\S+ \+(\d+)/.exec(shown);
  if (start) return Number(start[1]);
  return /^[ +]/.test(shown) ? line + 1 : line;
}
