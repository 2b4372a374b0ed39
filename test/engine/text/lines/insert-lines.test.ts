import { describe, expect, it } from 'vitest';
import { EngineFailure } from '../../../../src/engine/failures.ts';
import { insertLines } from '../../../../src/engine/text/lines/insert-lines.ts';

function insert(text: string, line: number, content: string): string {
  return insertLines(text, { line, content }, 'f').text;
}

function refused(text: string, line: number): unknown {
  try {
    insert(text, line, 'x');
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
  return 'inserted';
}

describe('lines are inserted', () => {
  it('before a line, at the end, and counted from the end', () => {
    expect(insert('a\nb\n', 1, 'x')).toBe('x\na\nb\n');
    expect(insert('a\nb\n', 2, 'x')).toBe('a\nx\nb\n');
    expect(insert('a\nb\n', 3, 'x')).toBe('a\nb\nx\n');
    expect(insert('a\nb\n', 0, 'x')).toBe('a\nb\nx\n');
    expect(insert('a\nb\n', -1, 'x')).toBe('a\nx\nb\n');
    expect(insert('a\nb\n', -2, 'x')).toBe('x\na\nb\n');
  });

  it('and reported with their number and position', () => {
    expect(insertLines('a\nb\nc\n', { line: -1, content: 'x\ny' }, 'f')).toEqual({
      text: 'a\nb\nx\ny\nc\n',
      line: 3,
      inserted: 2,
      lines: 5,
    });
    expect(insertLines('a\n', { line: 0, content: 'x' }, 'f')).toMatchObject({ line: 2, lines: 2 });
  });

  it('into an empty text as they were sent', () => {
    expect(insert('', 1, 'x')).toBe('x');
    expect(insert('', 0, 'x\r\ny\r\n')).toBe('x\r\ny\r\n');
    expect(insert('', 0, '')).toBe('\n');
  });

  it('with the line ends of the text, which neither gains nor loses a final newline', () => {
    expect(insert('a\r\nb', 0, 'x\ny\n')).toBe('a\r\nb\r\nx\r\ny');
    expect(insert('a\r\nb', 1, 'x')).toBe('x\r\na\r\nb');
    expect(insert('a\n', 0, 'x\r\n')).toBe('a\nx\n');
    expect(insert('a', 0, 'x\r\ny')).toBe('a\r\nx\r\ny');
  });

  it('even if they are empty', () => {
    expect(insert('a\nb\n', 2, '')).toBe('a\n\nb\n');
    expect(insert('a\nb\n', 2, '\n')).toBe('a\n\nb\n');
    expect(insert('a\nb\n', 2, '\n\n')).toBe('a\n\n\nb\n');
    expect(insert('a', 0, '')).toBe('a\n\n');
  });

  it('only within the text', () => {
    const beyond = (line: number, lines: number) => ({ kind: 'line-out-of-range', path: 'f', line, lines });
    expect(refused('a\nb\n', 4)).toEqual(beyond(4, 2));
    expect(refused('a\nb\n', -3)).toEqual(beyond(-3, 2));
    expect(refused('', -1)).toEqual(beyond(-1, 0));
    expect(refused('', 2)).toEqual(beyond(2, 0));
  });
});
