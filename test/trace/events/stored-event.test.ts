import { describe, expect, it } from 'vitest';
import type { TracedPath } from '../../../src/trace/events/event.ts';
import { anEvent, eventOf, LONGEST_LINE, lineOf } from '../events.ts';

describe('an event as a line', () => {
  it('is read back unchanged', () => {
    const event = anEvent({
      session: 's',
      who: 'anna',
      morePaths: 3,
      outcome: 'failed',
      error: 'outside',
      reason: '../x is outside the directories',
      brief: {
        path: '../x',
        globs: ['*.ts', '…'],
        content: { characters: 7 },
        edits: { items: 2 },
        limit: 3,
      },
      confinement: ['argv policy', 'bubblewrap'],
      note: 'a note',
      entries: ['e1'],
      arguments: '{"path":"a"}',
      answer: 'text',
    });
    expect(eventOf(lineOf(event).trimEnd())).toEqual(event);
  });

  it('is one line of valid JSON, whatever is in a path', () => {
    const path = '/a\n\r\t\0\u001b[31m\u2028\u2029\ud800x\udc00\u007f\u009b"\\';
    const line = lineOf(anEvent({ paths: [{ path, how: 'read' }] }));
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(Buffer.from(line).toString()).toBe(line);
    expect(JSON.parse(line).paths[0].path).toBe(path);
  });

  it('names the first 50 paths when all are too long together, and counts the others', () => {
    const line = lineOf(anEvent({ paths: manyPaths(80, 1000), morePaths: 5 }));
    const event = eventOf(line.trimEnd());
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LONGEST_LINE);
    expect(event?.paths).toEqual(manyPaths(50, 1000));
    expect(event?.morePaths).toBe(35);
  });

  it('loses contents before it loses any of these paths', () => {
    const paths = manyPaths(50, 1000);
    const event = eventOf(
      lineOf(anEvent({ paths, arguments: 'é'.repeat(8000), answer: 'é'.repeat(8000) })).trimEnd(),
    );
    expect(event?.paths).toEqual(paths);
    expect(event?.morePaths).toBeUndefined();
    expect(event?.arguments).toBe(`${'é'.repeat(1024)}…`);
    expect(event?.answer).toBe(`${'é'.repeat(1024)}…`);
  });

  it('names fewer paths and has no contents when the paths are very long', () => {
    const line = lineOf(anEvent({ paths: manyPaths(50, 4000, '\u0001'), arguments: 'x', answer: 'y' }));
    const event = eventOf(line.trimEnd());
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LONGEST_LINE);
    expect(event?.paths).toEqual(manyPaths(2, 4000, '\u0001'));
    expect(event?.morePaths).toBe(48);
    expect(event).not.toHaveProperty('arguments');
    expect(event).not.toHaveProperty('answer');
  });

  it.each([
    ['roots', { roots: Array.from({ length: 100 }, () => '/r'.repeat(1000)) }],
    ['a tool', { tool: 't'.repeat(200_000) }],
    ['a note', { note: 'n'.repeat(200_000) }],
    ['entries', { entries: Array.from({ length: 10_000 }, (_, n) => `entry-${n}`) }],
  ])('is not too long, even with %s of excessive length', (_, about) => {
    const line = lineOf(anEvent(about));
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LONGEST_LINE);
    expect(eventOf(line.trimEnd())).toMatchObject({ id: 'server-1', outcome: 'ok', ms: 1.5, morePaths: 1 });
  });
});

describe('a line that is not an event', () => {
  const whole = lineOf(anEvent()).trimEnd();

  it.each([
    ['an empty one', ''],
    ['an incomplete one', whole.slice(0, -20)],
    ['one that is not JSON', 'hello'],
    ['null', 'null'],
    ['a number', '7'],
    ['a list', '[]'],
    ['an object of something else', '{"id":"x"}'],
    ['paths that are not a list', lineOf(anEvent({ paths: 'x' as never })).trimEnd()],
    ['a path without a name', lineOf(anEvent({ paths: [{ how: 'read' } as never] })).trimEnd()],
    ['a time that no date can hold', lineOf(anEvent({ at: 9e15 })).trimEnd()],
    ['a session that is not a string', lineOf(anEvent({ session: 7 as never })).trimEnd()],
    ['an unknown outcome', lineOf(anEvent({ outcome: 'maybe' as never })).trimEnd()],
  ])('is skipped: %s', (_, line) => {
    expect(eventOf(line)).toBeUndefined();
  });

  it('does not hide the complete event that follows on the same line', () => {
    expect(eventOf(whole.slice(0, 50) + whole)).toEqual(anEvent());
  });
});

function manyPaths(count: number, length: number, filler = 'p'): TracedPath[] {
  return Array.from({ length: count }, (_, n) => ({ path: `/${n}/${filler.repeat(length)}`, how: 'read' }));
}
