/** Lines are tracked through changes of a file: they are found or not, but never confused with another line. */
import { describe, expect, it } from 'vitest';
import { movedLines } from '../../../../src/engine/text/lines/moved-lines.ts';
import { editCorpus } from '../../../corpus/edit-corpus.ts';
import { pick, type Random, seededRandom } from '../patch/samples.ts';

interface KnownLine {
  text: string;
  /** Its line in the source; undefined for a line that somebody added. */
  from: number | undefined;
}

const sources = [...new Set(editCorpus().map(({ source }) => source))];

/** Adds, removes and changes lines in some places, mostly with lines like those of the source. */
function changed(random: Random, source: readonly string[]): KnownLine[] {
  const lines: KnownLine[] = source.map((text, from) => ({ text, from }));
  for (let change = 1 + random(4); change > 0; change--) {
    const at = random(lines.length + 1);
    const from = random(source.length);
    const added = source
      .slice(from, from + random(8))
      .map((text) => ({ text: random(3) === 0 ? `${text} // changed` : text, from: undefined }));
    lines.splice(at, pick(random, [0, 0, 0, 1, 2, 5]), ...added);
  }
  return lines;
}

/** A line that was removed and added again elsewhere counts as the same line. */
function hasMovedLines(source: readonly string[], now: readonly KnownLine[]): boolean {
  const added = new Set(now.flatMap(({ text, from }) => (from === undefined ? [text] : [])));
  const kept = new Set(now.map(({ from }) => from));
  return source.some((text, line) => added.has(text) && !kept.has(line));
}

describe('lines that have moved', () => {
  it('are found where they are, or not at all', () => {
    const random = seededRandom(3);
    const counts = { found: 0, kept: 0 };
    for (let round = 0; round < 400; round++) {
      const source = pick(random, sources);
      const old = source.trimEnd().split('\n');
      const now = changed(random, old);
      if (hasMovedLines(old, now)) continue;
      const text = now.map((line) => `${line.text}\n`).join('');
      const { certain } = movedLines(source, text);
      for (const [line, { length }] of old.entries()) {
        const truth = now.findIndex(({ from }) => from === line);
        const found = certain(line);
        if (truth < 0) continue;
        counts.kept++;
        if (found === undefined) continue;
        counts.found++;
        expect(found, `line ${line + 1} of ${length} characters in\n${source}\nnow\n${text}`).toBe(truth);
      }
    }
    expect(counts.found / counts.kept).toBeGreaterThan(0.8);
  });

  it('are not guessed if similar lines were added next to them', () => {
    const { certain } = movedLines('top\nf {\n}\nend\n', 'top\nf {\n}\ng {\n}\nend\n');
    expect([0, 1, 2, 3].map(certain)).toEqual([0, 1, undefined, 5]);
  });

  it('are certain between lines that occur once, and at both ends', () => {
    const { certain } = movedLines('}\nf {\n}\ng {\n}\n', '}\nf {\n}\ng {\nx\n}\n');
    expect([0, 1, 2, 3, 4].map(certain)).toEqual([0, 1, 2, 3, undefined]);
  });
});
