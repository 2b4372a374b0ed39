import { describe, expect, it } from 'vitest';
import { applyEditList, type ListedEdit } from '../../../src/engine/text/edit-list.ts';
import { lineHash } from '../../../src/engine/text/lines/anchors.ts';

function apply(text: string, edits: readonly ListedEdit[], remembered?: string) {
  return applyEditList(text, edits, remembered, 'file.txt', () => {});
}

function edited(text: string, edits: readonly ListedEdit[], remembered?: string): string {
  const outcome = apply(text, edits, remembered);
  if ('refusal' in outcome) throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome.text;
}

/** The anchor of a line of a text, counted from 1. */
function anchor(text: string, line: number): string {
  return `${line}#${lineHash(text.split(/\r?\n/)[line - 1]!)}`;
}

function range(text: string, from: number, to: number): string {
  return `${anchor(text, from)}-${anchor(text, to)}`;
}

const five = 'one\ntwo\nthree\nfour\nfive\n';

describe('edits by lines', () => {
  it('replace a range, with or without the final newline', () => {
    for (const newText of ['x\ny', 'x\ny\n']) {
      expect(edited(five, [{ lines: range(five, 2, 4), newText }])).toBe('one\nx\ny\nfive\n');
    }
  });

  it('replace one line', () => {
    expect(edited(five, [{ lines: anchor(five, 3), newText: 'drei' }])).toBe('one\ntwo\ndrei\nfour\nfive\n');
  });

  it('remove lines, and insert empty ones', () => {
    expect(edited(five, [{ lines: range(five, 1, 4), newText: '' }])).toBe('five\n');
    expect(edited(five, [{ lines: range(five, 1, 5), newText: '' }])).toBe('');
    expect(edited(five, [{ lines: anchor(five, 1), newText: '\n' }])).toBe('\ntwo\nthree\nfour\nfive\n');
    expect(edited(five, [{ lines: `${anchor(five, 5)}+`, newText: '\n' }])).toBe(`${five}\n`);
  });

  it('insert lines after a line, and at the beginning', () => {
    expect(edited(five, [{ lines: `${anchor(five, 1)}+`, newText: 'x\ny' }])).toBe(
      'one\nx\ny\ntwo\nthree\nfour\nfive\n',
    );
    expect(edited(five, [{ lines: `${anchor(five, 5)}+`, newText: 'six' }])).toBe(`${five}six\n`);
    expect(edited(five, [{ lines: '0+', newText: 'zero\n' }])).toBe(`zero\n${five}`);
    expect(edited('', [{ lines: '0+', newText: 'zero' }])).toBe('zero');
  });

  it('refer to the file as it was before the call, whatever the other edits do', () => {
    const edits = [
      { lines: '0+', newText: 'a\nb\nc' },
      { lines: anchor(five, 4), newText: '' },
      { lines: anchor(five, 2), newText: 'zwei\nzwei und ein halb' },
      { lines: `${anchor(five, 2)}+`, newText: 'x' },
      { lines: `${anchor(five, 2)}+`, newText: 'y' },
      { lines: anchor(five, 5), newText: 'fünf' },
    ];
    expect(edited(five, edits)).toBe('a\nb\nc\none\nzwei\nzwei und ein halb\nx\ny\nthree\nfünf\n');
  });

  it('can be combined with edits by text', () => {
    const edits = [
      { oldText: 'two\n', newText: 'two\nand a half\n' },
      { lines: anchor(five, 4), newText: 'vier' },
      { oldText: 'vier', newText: 'quatre' },
    ];
    expect(edited(five, edits)).toBe('one\ntwo\nand a half\nthree\nquatre\nfive\n');
  });

  it('keep the line ends, and neither add nor remove a final newline', () => {
    const crlf = 'a\r\nb\r\nc';
    expect(edited(crlf, [{ lines: anchor(crlf, 2), newText: 'x\ny\n' }])).toBe('a\r\nx\r\ny\r\nc');
    expect(edited(crlf, [{ lines: anchor(crlf, 3), newText: 'x\ny\n' }])).toBe('a\r\nb\r\nx\r\ny');
    expect(edited(crlf, [{ lines: `${anchor(crlf, 3)}+`, newText: 'd\n' }])).toBe('a\r\nb\r\nc\r\nd');
    expect(edited(crlf, [{ lines: anchor(crlf, 3), newText: '' }])).toBe('a\r\nb');
    expect(edited(crlf, [{ lines: range(crlf, 1, 3), newText: '' }])).toBe('');
    const both = [
      { lines: anchor(crlf, 2), newText: 'B' },
      { lines: anchor(crlf, 3), newText: '' },
    ];
    expect(edited(crlf, both)).toBe('a\r\nB');
  });

  it('follow lines that have moved since they were read, and say so', () => {
    const now = `new\nlines\n${five}`;
    expect(apply(now, [{ lines: range(five, 2, 4), newText: 'x' }], five)).toMatchObject({
      text: 'new\nlines\none\nx\nfive\n',
      results: [{ by: 'lines', line: 4, removed: 3, added: 1, hasMoved: true }],
    });
    expect(edited(now, [{ lines: `${anchor(five, 5)}+`, newText: 'x' }], five)).toBe(`${now}x\n`);
  });

  it('do not report lines that have not moved', () => {
    expect(apply(five, [{ lines: anchor(five, 2), newText: 'x\ny' }], `${five}more\n`)).toMatchObject({
      results: [{ by: 'lines', line: 2, removed: 1, added: 2, hasMoved: false }],
    });
  });

  it('accept anchors that still match although a neighbouring line changed', () => {
    const read = 'f {\n}\nx\n}\n';
    const now = 'f {\n}\ny\n}\n';
    expect(edited(now, [{ lines: anchor(read, 2), newText: 'end' }], read)).toBe('f {\nend\ny\n}\n');
  });

  it('accept anchors that match now, even if the text that was read had others', () => {
    expect(edited(five, [{ lines: anchor(five, 2), newText: 'x' }], 'something\nelse\n')).toBe(
      'one\nx\nthree\nfour\nfive\n',
    );
  });
});

describe('edits by lines are refused', () => {
  const refusal = (text: string, edits: readonly ListedEdit[], remembered?: string) => {
    const outcome = apply(text, edits, remembered);
    if (!('refusal' in outcome)) throw new Error(`applied: ${JSON.stringify(outcome)}`);
    return outcome;
  };

  it('if anchors do not match, with the lines as they are now', () => {
    const now = 'one\ntwo\n3\nfour\nfive\n';
    const shown = now
      .trimEnd()
      .split('\n')
      .map((text, index) => ({ line: index + 1, hash: lineHash(text), text }));
    const lines = anchor(five, 3);
    const stale = { edit: 1, refusal: { why: 'stale-anchors', written: lines, shown, lines: 5 } };
    expect(refusal(now, [{ lines, newText: 'x' }])).toEqual(stale);
    expect(refusal(now, [{ lines, newText: 'x' }], five)).toEqual(stale);
  });

  it('if lines are beyond the end', () => {
    expect(refusal(five, [{ lines: '9#00', newText: 'x' }])).toMatchObject({
      refusal: { why: 'stale-anchors', lines: 5, shown: [{ line: 1 }, {}, {}, {}, { line: 5 }] },
    });
    expect(refusal('', [{ lines: '1#00', newText: 'x' }])).toMatchObject({
      refusal: { shown: [], lines: 0 },
    });
    expect(refusal(five, [{ lines: '0#00', newText: 'x' }])).toMatchObject({
      refusal: { why: 'stale-anchors' },
    });
  });

  it('if a range has moved and has other lines inside', () => {
    const now = `new\n${five.replace('three', 'drei')}`;
    expect(refusal(now, [{ lines: range(five, 2, 4), newText: 'x' }], five)).toMatchObject({
      refusal: { why: 'stale-anchors' },
    });
  });

  it('if another line now has the same number and text', () => {
    const read = 'a {\n}\nb {\n}\nc\n';
    const now = 'a {\n}\nnew {\n}\nb {\n}\nc\n';
    expect(refusal(now, [{ lines: anchor(read, 4), newText: 'x' }], read)).toMatchObject({
      refusal: { why: 'stale-anchors' },
    });
  });

  it('if a moved line cannot be identified for certain', () => {
    const read = 'start\nf {\n}\nend\n';
    const now = 'top\nstart\nf {\n}\ng {\n}\nend\n';
    expect(refusal(now, [{ lines: `${anchor(read, 3)}+`, newText: 'x' }], read)).toMatchObject({
      refusal: { why: 'stale-anchors' },
    });
  });

  it('if ranges overlap', () => {
    const first = { lines: range(five, 2, 3), newText: 'x' };
    for (const lines of [range(five, 3, 4), anchor(five, 2), `${anchor(five, 2)}+`]) {
      const overlap = { edit: 2, refusal: { why: 'overlap', other: 1 } };
      expect(refusal(five, [first, { lines, newText: 'y' }]), lines).toEqual(overlap);
    }
    const text = { oldText: 'ee\nfo', newText: 'x' };
    expect(refusal(five, [text, { lines: anchor(five, 4), newText: 'y' }])).toMatchObject({
      refusal: { why: 'overlap', other: 1 },
    });
  });

  it('if an anchor is malformed, or a range runs backwards', () => {
    expect(refusal(five, [{ lines: '3', newText: 'x' }])).toMatchObject({
      refusal: { why: 'bad-anchors', written: '3' },
    });
    expect(refusal(five, [{ lines: range(five, 3, 2), newText: 'x' }])).toMatchObject({
      refusal: { why: 'reversed-range' },
    });
  });

  it('if there are none, or if they change nothing', () => {
    expect(refusal(five, [])).toEqual({ refusal: { why: 'no-edits' } });
    expect(refusal(five, [{ oldText: 'one', newText: 'one' }])).toEqual({ refusal: { why: 'no-change' } });
    const there = { oldText: 'one', newText: 'two' };
    expect(refusal('one\n', [there, { oldText: 'two', newText: 'one' }])).toEqual({
      refusal: { why: 'no-change' },
    });
  });

  it('all together, and the refusal names the edit', () => {
    const edits = [
      { oldText: 'one', newText: 'eins' },
      { oldText: 'nowhere', newText: 'x' },
    ];
    expect(refusal(five, edits)).toMatchObject({ edit: 2, refusal: { why: 'not-found' } });
  });
});

it('in a long file, each of many edits finds what those before it left', () => {
  const lines = Array.from({ length: 20_000 }, (_, line) => `\tline ${line} of it`);
  const text = `${lines.join('\n')}\n`;
  // Every second edit changes what the one before inserted; every fifth has another indentation.
  const edits = Array.from({ length: 300 }, (_, index) => {
    const line = (index - (index % 2)) * 60 + 7;
    if (index % 2 === 1) return { oldText: `row ${line}\n`, newText: `row ${line} again\n` };
    const indent = index % 5 === 0 ? '    ' : '\t';
    return { oldText: `${indent}line ${line} of it\n`, newText: `${indent}row ${line}\n` };
  });
  const outcome = applyEditList(text, edits, undefined, 'file', () => {});
  const expected = lines.map((line, index) =>
    index % 120 === 7 && index < 18_000 ? `\trow ${index} again` : line,
  );
  expect('text' in outcome && outcome.text).toBe(`${expected.join('\n')}\n`);
  const shown = 'results' in outcome ? outcome.results.map(({ line }) => line) : [];
  expect(shown).toEqual(edits.map((_, index) => (index - (index % 2)) * 60 + 8));
});
