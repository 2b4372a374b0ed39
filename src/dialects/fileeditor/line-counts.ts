/** Compares how many lines a file got with how many the call stated. */
import { countingLines, inTurns, Yielder } from '../../engine/index.ts';

export async function linesOfEach(contents: readonly string[]): Promise<number[]> {
  const yielder = new Yielder(undefined);
  const counts: number[] = [];
  for (const [i, content] of contents.entries()) {
    // When all files get the same content, its lines are counted once.
    const count = content === contents[i - 1] ? counts[i - 1] : undefined;
    counts.push(count ?? (await inTurns(countingLines(content), yielder)));
  }
  return counts;
}

export function wrongCountNote({
  path,
  lines,
  stated,
}: {
  path: string;
  lines: number;
  stated: number;
}): string {
  return `Note: line_count for ${path} was ${stated}, but the content has ${lines} lines`;
}
