import { describe, expect, it } from 'vitest';
import { EngineFailure, type Failure } from '../../../../src/engine/failures.ts';
import { countLines, splitLines } from '../../../../src/engine/text/encoding.ts';
import { applyLineDiffs, type LineDiff } from '../../../../src/engine/text/lines/line-diffs.ts';

function diff(startLine: number, search: string, replace: string): LineDiff {
  return { startLine, search, replace };
}

function apply(text: string, ...diffs: LineDiff[]): string {
  return applyLineDiffs(text, diffs, {}, 'f').text;
}

function failure(text: string, diffs: LineDiff[], options = {}): Failure {
  try {
    applyLineDiffs(text, diffs, options, 'f');
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
  throw new Error('it was applied');
}

describe('blocks of lines', () => {
  it('are replaced by as many, more, fewer or no lines', () => {
    expect(apply('a\nb\nc\n', diff(2, 'b', 'B'))).toBe('a\nB\nc\n');
    expect(apply('a\nb\nc\n', diff(2, 'b', 'B\nBB'))).toBe('a\nB\nBB\nc\n');
    expect(apply('a\nb\nc\n', diff(1, 'a\nb', 'AB'))).toBe('AB\nc\n');
    expect(apply('a\nb\nc\n', diff(2, 'b', ''))).toBe('a\nc\n');
    expect(apply('a\nb\nc\n', diff(1, 'a\nb\nc', ''))).toBe('');
  });

  it('may be adjacent, even if all of them are removed', () => {
    expect(apply('a\nb\nc', diff(3, 'c', ''), diff(2, 'b', ''))).toBe('a');
    expect(apply('a\nb\nc', diff(1, 'a', ''), diff(2, 'b', ''))).toBe('c');
    expect(apply('a\nb\nc', diff(1, 'a', ''), diff(2, 'b', ''), diff(3, 'c', ''))).toBe('');
    expect(apply('a\nb\nc', diff(3, 'c', ''), diff(2, 'b', 'x\ny'))).toBe('a\nx\ny');
  });

  it('keep the line ends of the text, or those of each line if they are mixed', () => {
    expect(apply('a\r\nb\r\nc', diff(2, 'b\nc', 'x\ny\nz'))).toBe('a\r\nx\r\ny\r\nz');
    expect(apply('a\nb\r\nc\n', diff(2, 'b', 'x'))).toBe('a\nx\r\nc\n');
    expect(apply('a\r\nb\r\n', diff(1, 'a\r\nb\r\n', 'x\r\n'))).toBe('x\r\n');
    expect(apply('a', diff(1, 'a', 'x\r\ny'))).toBe('x\r\ny');
  });

  it('keep an empty last line although the text has no final newline', () => {
    expect(apply('a\nb', diff(2, 'b', '\n'))).toBe('a\n\n');
    expect(apply('a', diff(1, 'a', '\n'))).toBe('\n');
  });

  it('leave lone carriage returns and other separators alone', () => {
    expect(apply('a\rb\u2028c\nd\n', diff(2, 'd', 'e'))).toBe('a\rb\u2028c\ne\n');
    expect(failure('a\rb\n', [diff(1, 'a', 'x')]).kind).toBe('hunk-mismatch');
  });
});

describe('a block that is not at its line', () => {
  it('is reported with the first line that differs, the text there and the place of the block', () => {
    expect(failure('a\nb\nc\na\nb\n', [diff(2, 'a\nb', 'x')])).toEqual({
      kind: 'hunk-mismatch',
      path: 'f',
      hunk: 1,
      line: 2,
      expected: ['a', 'b'],
      found: ['b', 'c'],
      elsewhere: [1, 4],
    });
    expect(failure('a\nb\n', [diff(1, 'a\nB', 'x')])).toMatchObject({
      line: 2,
      expected: ['B'],
      found: ['b'],
    });
    expect(failure('a\nb\n', [diff(2, 'b\nc', 'x')])).toMatchObject({ line: 3, expected: ['c'], found: [] });
  });

  it('shows a few lines and cuts long ones around the difference', () => {
    const long = `${'x'.repeat(5000)}1${'x'.repeat(5000)}`;
    const facts = failure(`${long}\n${'y\n'.repeat(100)}`, [
      diff(1, long.replace('1', '2') + '\nz'.repeat(100), ''),
    ]);
    if (facts.kind !== 'hunk-mismatch') throw new Error(facts.kind);
    expect(facts.expected).toHaveLength(5);
    expect(facts.found).toHaveLength(5);
    expect(facts.expected[0]).toMatch(/^…x+2x+…$/);
    expect(facts.found[0]).toMatch(/^…x+1x+…$/);
    expect(facts.expected[0]!.length).toBeLessThan(400);
  });

  it('names at most ten places, and none for blank lines', () => {
    const many = failure(`${'a\n'.repeat(50)}b\n`, [diff(51, 'a', 'x')]);
    expect(many).toMatchObject({ elsewhere: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
    expect(failure('\n\na\n', [diff(3, '', 'x')])).toMatchObject({ elsewhere: [] });
  });

  it('is searched for in linear time', () => {
    const text = 'a\n'.repeat(200_000);
    expect(failure(text, [diff(1, `${'a\n'.repeat(100_000)}b`, 'x')])).toMatchObject({ elsewhere: [] });
  });
});

describe('trim', () => {
  it('ignores whitespace around lines on both sides, and nothing else', () => {
    const options = { trim: true };
    expect(applyLineDiffs('\ta \n  b\n', [diff(1, 'a\n\tb  ', ' X')], options, 'f').text).toBe(' X\n');
    expect(failure('a  b\n', [diff(1, 'a b', 'x')], options).kind).toBe('hunk-mismatch');
  });

  it('shows the lines as they are and finds them elsewhere whatever their indentation', () => {
    const facts = failure('  a\n\tb\n', [diff(1, 'b', 'x')], { trim: true });
    expect(facts).toMatchObject({ found: ['  a'], elsewhere: [2] });
  });
});

describe('several blocks', () => {
  it('are all or nothing, and the error names the first that fails', () => {
    const facts = failure('a\nb\n', [diff(1, 'a', 'A'), diff(2, 'x', 'X'), diff(9, 'y', 'Y')]);
    expect(facts).toMatchObject({ kind: 'hunk-mismatch', hunk: 2 });
  });

  it('are applied as far as possible if asked to', () => {
    const diffs = [
      diff(1, 'a', 'A\nAA'),
      diff(2, 'x', 'X'),
      diff(9, 'y', 'Y'),
      diff(3, 'c', ''),
      diff(3, 'c', 'C'),
    ];
    const { text, lines, results } = applyLineDiffs('a\nb\nc\n', diffs, { partly: true }, 'f');
    expect(text).toBe('A\nAA\nb\n');
    expect(lines).toBe(3);
    expect(results.map((each) => ('failure' in each ? each.failure.kind : each))).toEqual([
      { removed: 1, added: 2 },
      'hunk-mismatch',
      'line-out-of-range',
      { removed: 1, added: 0 },
      'overlap',
    ]);
  });

  it('must not share a line', () => {
    expect(failure('a\nb\nc\n', [diff(2, 'b\nc', ''), diff(1, 'a\nb', '')])).toEqual({
      kind: 'overlap',
      path: 'f',
      first: 1,
      second: 2,
    });
  });

  it('give the same result as replacing lines in a list', () => {
    const next = randomNumbers(7);
    for (let round = 0; round < 500; round++) {
      const ending = next(2) === 0 ? '\n' : '\r\n';
      const lines = Array.from({ length: 1 + next(12) }, () => 'abc'.charAt(next(4)));
      const text = lines.join(ending) + (lines.at(-1) === '' || next(2) === 0 ? ending : '');
      const expected = lines.map((line) => [line]);
      const diffs: LineDiff[] = [];
      for (let at = next(3); at < lines.length; at += 1 + next(4)) {
        const count = Math.min(1 + next(3), lines.length - at);
        const put = Array.from({ length: next(4) }, () => 'XYZ'.charAt(next(3)));
        diffs.push(
          diff(
            at + 1,
            `${lines.slice(at, at + count).join('\n')}\n`,
            put.map((line) => `${line}\n`).join(''),
          ),
        );
        for (let i = 0; i < count; i++) expected[at + i] = i === 0 ? put : [];
        at += count - 1;
      }
      diffs.sort(() => next(3) - 1);
      const result = applyLineDiffs(text, diffs, {}, 'f');
      expect(splitLines(result.text)).toEqual(expected.flat());
      expect(result.lines).toBe(countLines(result.text));
      if (expected.flat().length > 0 && expected.flat().at(-1) !== '') {
        expect(result.text.endsWith('\n')).toBe(text.endsWith('\n'));
      }
      if (text.includes(ending)) expect(result.text.replaceAll(ending, '')).not.toContain('\n');
    }
  });
});

/** A small seeded generator, so that every run has the same cases. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}
