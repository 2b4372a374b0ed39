import { describe, expect, it } from 'vitest';
import { EditedText } from '../../../../../src/engine/text/edit/edited-text.ts';
import type { TextReplacement } from '../../../../../src/engine/text/edit/tolerant/tolerant.ts';
import { applyTextEdit } from '../../../../../src/engine/text/edit/tolerant/tolerant.ts';

function edited(text: string, edit: TextReplacement): { fit: string; text: string } {
  const outcome = applyTextEdit(new EditedText(text), edit, 'file.txt', () => {});
  if ('refusal' in outcome) throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`);
  return { fit: outcome.fit, text: outcome.text };
}

function refused(text: string, edit: TextReplacement) {
  const outcome = applyTextEdit(new EditedText(text), edit, 'file.txt', () => {});
  if (!('refusal' in outcome)) throw new Error(`applied: ${JSON.stringify(outcome.text)}`);
  return outcome.refusal;
}

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

describe('an edit by text', () => {
  it('replaces a text that fits exactly, even inside a line', () => {
    expect(edited('let a = 1;\n', { oldText: 'a = 1', newText: 'b = 2' })).toEqual({
      fit: 'exact',
      text: 'let b = 2;\n',
    });
  });

  it('takes dollar signs and backslashes literally', () => {
    expect(edited('a\n', { oldText: 'a', newText: "$& $1 \\1 $'" }).text).toBe("$& $1 \\1 $'\n");
  });

  it('gives new lines the line ends of those that they replace, whatever the rest of the file has', () => {
    const text = 'a\nb\nc\nd\nx\r\ny\r\n';
    expect(edited(text, { oldText: 'x\ny\n', newText: 'x\nz\ny\n' }).text).toBe(
      'a\nb\nc\nd\nx\r\nz\r\ny\r\n',
    );
    expect(edited(text, { oldText: 'c\n', newText: 'c\ne\n' }).text).toBe('a\nb\nc\ne\nd\nx\r\ny\r\n');
  });

  it('ignores differences in line ends, and the file keeps its own', () => {
    expect(edited('a\r\nb\r\nc\r\n', { oldText: 'a\nb\n', newText: 'a\nx\ny\n' })).toEqual({
      fit: 'line-ends',
      text: 'a\r\nx\r\ny\r\nc\r\n',
    });
    expect(edited('a\nb\n', { oldText: 'a\r\nb', newText: 'a\r\nc' })).toEqual({
      fit: 'line-ends',
      text: 'a\nc\n',
    });
  });

  it('keeps the line ends of unchanged lines in a file with both kinds', () => {
    expect(edited('a\r\nb\nc\r\nd\r\n', { oldText: 'a\nb\nc\n', newText: 'a\nb\nx\n' }).text).toBe(
      'a\r\nb\nx\r\nd\r\n',
    );
  });

  it('accepts a final newline that the file lacks', () => {
    expect(edited('a\nb', { oldText: 'a\nb\n', newText: 'a\nc\n' })).toEqual({
      fit: 'line-ends',
      text: 'a\nc',
    });
  });

  it('never leaves half of a line end behind', () => {
    expect(edited('a\r\nb\r\n', { oldText: '\nb', newText: '' }).text).toBe('a\r\n');
  });

  it('treats a carriage return at its end as half of a line end', () => {
    for (const newText of ['x', 'x\r']) {
      expect(edited('a\r\nb\r\n', { oldText: 'a\r', newText })).toEqual({
        fit: 'line-ends',
        text: 'x\r\nb\r\n',
      });
    }
    expect(edited('a1\r\na\r\n', { oldText: 'a\r', newText: 'x' }).text).toBe('a1\r\nx\r\n');
    expect(edited('a\rb\r', { oldText: 'a\r', newText: 'x\r' })).toEqual({ fit: 'exact', text: 'x\rb\r' });
    expect(refused('a1\r\n', { oldText: 'a\r', newText: 'x' })).toMatchObject({ why: 'not-found' });
  });

  it('ignores trailing blanks on either side, and unchanged lines keep theirs', () => {
    expect(edited('a  \nb\t\nc\n', { oldText: 'a\nb\nc', newText: 'a\nx\nc' })).toEqual({
      fit: 'trailing-blanks',
      text: 'a  \nx\nc\n',
    });
    expect(edited('a\nb\nc\n', { oldText: 'a \nb  ', newText: 'a \nx' }).text).toBe('a\nx\nc\n');
    expect(edited('a\n\nb\n', { oldText: 'a\n    \nb', newText: 'a\n    \nc' }).text).toBe('a\n\nc\n');
  });

  it('ignores how far a block is indented, and indents the new text like the file', () => {
    const text = lines('class A {', '    run() {', '        go();', '    }', '}');
    const edit = {
      oldText: lines('run() {', '    go();', '}'),
      newText: lines('run() {', '    if (x) {', '        go();', '    }', '}'),
    };
    expect(edited(text, edit)).toEqual({
      fit: 'indentation',
      text: lines(
        'class A {',
        '    run() {',
        '        if (x) {',
        '            go();',
        '        }',
        '    }',
        '}',
      ),
    });
  });

  it('moves the new text to the left, even lines that are indented less than the old text', () => {
    const text = lines('if a:', '  b()', '  c()', 'd()');
    const edit = { oldText: lines('      b()', '      c()'), newText: lines('      b()', '    e()') };
    expect(edited(text, edit)).toEqual({ fit: 'indentation', text: lines('if a:', '  b()', 'e()', 'd()') });
  });

  it('accepts blanks for tabs, and writes the new text with the tabs of the file', () => {
    const text = lines('func f() {', '\tif x {', '\t\tgo()', '\t}', '}');
    const edit = {
      oldText: lines('    if x {', '        go()', '    }'),
      newText: lines('    if x {', '        for {', '            go()', '        }', '    }'),
    };
    expect(edited(text, edit)).toEqual({
      fit: 'tabs',
      text: lines('func f() {', '\tif x {', '\t\tfor {', '\t\t\tgo()', '\t\t}', '\t}', '}'),
    });
  });

  it('accepts tabs for blanks, and writes the new text with the blanks of the file', () => {
    const text = lines('def f():', '  if x:', '    go()');
    const edit = {
      oldText: lines('\tif x:', '\t\tgo()'),
      newText: lines('\tif x:', '\t\tgo()', '\t\tif y:', '\t\t\tend()'),
    };
    expect(edited(text, edit)).toEqual({
      fit: 'tabs',
      text: lines('def f():', '  if x:', '    go()', '    if y:', '      end()'),
    });
  });

  it('ignores typography, in both directions', () => {
    expect(
      edited('say("it\'s - so")\n', { oldText: 'say(“it’s – so”)', newText: 'say(“it’s – not – so”)' }),
    ).toEqual({
      fit: 'typography',
      text: 'say("it\'s - not - so")\n',
    });
    expect(edited('He said “no”.\n', { oldText: 'He said "no".', newText: 'She said "no".' })).toEqual({
      fit: 'typography',
      text: 'She said “no”.\n',
    });
    expect(edited('a\u00a0b c\n', { oldText: 'a b c', newText: 'a b d' }).text).toBe('a\u00a0b d\n');
    expect(edited('a b\n', { oldText: 'a\u00a0b', newText: 'c\u00a0d' }).text).toBe('c d\n');
  });

  it.each([
    ['He said “no”.', 'He said "no".', 'He said "no" and "yes".', 'He said “no” and “yes”.'],
    ['a — b, 1–2, x-y', 'a - b, 1-2, x-y', 'a - b - c, 3-4-5, x-y-z', 'a — b — c, 3–4–5, x-y-z'],
    [
      'It’s a ‘test’\u00a0x',
      "It's a 'test' x",
      "It's not a 'big' 'test' x",
      'It’s not a ‘big’ ‘test’\u00a0x',
    ],
    ['say “hi” — it’s', 'say "hi" - it\'s', '("so")', '(“so”)'],
    ['x("it")', 'x(“it”)', 'x(“it’s”)', 'x("it\'s")'],
  ])('writes new quotes and dashes as the file does: %s', (text, oldText, newText, result) => {
    expect(edited(`${text}\n`, { oldText, newText })).toEqual({ fit: 'typography', text: `${result}\n` });
  });

  it('ignores all of these differences together', () => {
    const text = lines('\tif (a) {', '\t\tsay("x");  ', '\t}').replaceAll('\n', '\r\n');
    const edit = {
      oldText: 'if (a) {\n    say(“x”);\n}',
      newText: 'if (a) {\n    say(“x”);\n    say(“y”);\n}',
    };
    expect(edited(text, edit)).toEqual({
      fit: 'typography',
      text: '\tif (a) {\r\n\t\tsay("x");  \r\n\t\tsay("y");\r\n\t}\r\n',
    });
  });

  it('fills an empty file if the old text is empty', () => {
    expect(edited('', { oldText: '', newText: 'a\n' }).text).toBe('a\n');
  });

  it('replaces every exact place if asked to', () => {
    expect(edited('a b a\r\na', { oldText: 'a', newText: 'c', all: true }).text).toBe('c b c\r\nc');
    expect(edited('aaaa', { oldText: 'aa', newText: 'b', all: true }).text).toBe('bb');
  });

  it('replaces the place that is closest to a line', () => {
    expect(edited('a\nb\na\nb\na\n', { oldText: 'a', newText: 'c', near: 6 }).text).toBe('a\nb\na\nb\nc\n');
  });

  it('replaces what a pattern matches', () => {
    const text = 'a1\r\nb2\r\nc3\r\n';
    expect(edited(text, { oldText: '^b(\\d)$', newText: 'x$1\ny$$', regex: true }).text).toBe(
      'a1\r\nx2\r\ny$\r\nc3\r\n',
    );
    expect(edited(text, { oldText: '(\\w)(\\d)', newText: '$2$1', regex: true, all: true }).text).toBe(
      '1a\r\n2b\r\n3c\r\n',
    );
    expect(edited(text, { oldText: '\\d', newText: '', regex: true, limit: 2 }).text).toBe(
      'a\r\nb\r\nc3\r\n',
    );
    expect(edited(text, { oldText: '\\d', newText: '', regex: true, near: 3 }).text).toBe(
      'a1\r\nb2\r\nc\r\n',
    );
  });
});

describe('an edit by text is refused', () => {
  it('if the old text is empty and the file is not', () => {
    expect(refused('a', { oldText: '', newText: 'b' })).toEqual({ why: 'empty-old-text' });
  });

  it('if the text fits in two places, even if they overlap', () => {
    expect(refused('a\nb\na\n', { oldText: 'a', newText: 'c' })).toEqual({
      why: 'ambiguous',
      count: 2,
      lines: [1, 3],
    });
    expect(refused('aaa', { oldText: 'aa', newText: 'b' })).toEqual({
      why: 'ambiguous',
      count: 2,
      lines: [1, 1],
    });
    expect(refused('a\nb\na\n', { oldText: 'a', newText: 'c', near: 2 })).toMatchObject({ why: 'ambiguous' });
    expect(refused('  x\n  y\n\n    x\n    y\n', { oldText: 'x\ny', newText: 'z' })).toEqual({
      why: 'ambiguous',
      count: 2,
      lines: [1, 4],
    });
    expect(refused('a1 a2', { oldText: 'a.', newText: '', regex: true })).toMatchObject({
      why: 'ambiguous',
      count: 2,
    });
  });

  it('with the closest place, and what differs there', () => {
    const text = lines('one', 'two', 'three', 'four', 'five');
    expect(refused(text, { oldText: lines('two', 'drei', 'four'), newText: 'x' })).toEqual({
      why: 'not-found',
      closest: { line: 2, shared: 2, of: 3, diff: [' two', '-drei', '+three', ' four'], isCut: false },
      hasElision: false,
    });
  });

  it('with at most 20 lines of difference', () => {
    const text = lines(...Array.from({ length: 60 }, (_, at) => `line ${at}`));
    const oldText = text.replaceAll(/line (\d*[02468])\n/g, 'other $1\n');
    const refusal = refused(text, { oldText, newText: 'x' });
    expect(refusal).toMatchObject({
      why: 'not-found',
      closest: { line: 1, shared: 30, of: 60, isCut: true },
    });
    expect(refusal.why === 'not-found' && refusal.closest?.diff).toHaveLength(20);
  });

  it('with the most similar line, if no line is the same', () => {
    expect(
      refused('alpha\nconst value = 12;\n', { oldText: 'const valeu = 12;', newText: 'x' }),
    ).toMatchObject({
      closest: { line: 2, shared: 0, diff: ['-const valeu = 12;', '+const value = 12;'] },
    });
    expect(refused('alpha\n', { oldText: 'const valeu = 12;', newText: 'x' })).toMatchObject({
      closest: undefined,
    });
  });

  it('because the new text is already there', () => {
    expect(refused('a\n  b = 2;\n', { oldText: 'b = 1;', newText: 'b = 2;' })).toEqual({
      why: 'already-applied',
      line: 2,
    });
    expect(refused('b = 2;\nb = 2;\n', { oldText: 'b = 1;', newText: 'b = 2;' })).toMatchObject({
      why: 'not-found',
    });
  });

  it('if the old text leaves out lines', () => {
    const text = lines('def f():', '    a()', '    b()', '    c()');
    for (const elision of ['...', '# ...', '# ... existing code ...', '    ...']) {
      const oldText = lines('def f():', elision, '    c()');
      expect(refused(text, { oldText, newText: 'x' }), elision).toMatchObject({
        why: 'not-found',
        hasElision: true,
      });
    }
  });

  it('if the old text is only blanks, unless they occur exactly', () => {
    expect(refused('a\n\nb\n', { oldText: '\n   \n', newText: '\n' })).toMatchObject({ why: 'not-found' });
  });

  it('if a line of the file only begins with its last line', () => {
    expect(refused('return abc;\n', { oldText: 'return a ', newText: 'return b ' })).toMatchObject({
      why: 'not-found',
    });
  });

  it('if one indentation of the text corresponds to two in the file', () => {
    const text = lines('\t\tif (a) {', '\t\t    if (b) {', '\t\t\tc();', '\t\t    }', '\t\t}');
    const oldText = lines('\t\tif (a) {', '\t\t\tif (b) {', '\t\t\tc();', '\t\t\t}');
    expect(refused(text, { oldText, newText: oldText.replace('c()', 'd()') })).toMatchObject({
      why: 'not-found',
    });
  });

  it('if the width of a tab is unclear and matters', () => {
    const text = lines('\t\ta()', '\t\tb()');
    const edit = {
      oldText: lines('    a()', '    b()'),
      newText: lines('    a()', '        c()', '    b()'),
    };
    expect(refused(text, edit)).toMatchObject({ why: 'not-found' });
  });

  it('if it is unclear which form of a quote is meant', () => {
    const edit = { oldText: 'say("a "b" c")', newText: 'tell("x", "y "z"")' };
    expect(refused('say("a “b” c")\n', edit)).toMatchObject({ why: 'not-found', closest: { line: 1 } });
    const brings = { oldText: 'it’s', newText: 'it’s – so' };
    expect(refused("it's\n", brings)).toMatchObject({ why: 'not-found' });
  });

  it('if a pattern matches nothing', () => {
    expect(refused('a', { oldText: 'b', newText: '', regex: true })).toEqual({
      why: 'not-found',
      hasElision: false,
    });
    expect(() =>
      applyTextEdit(new EditedText('a'), { oldText: '(', newText: '', regex: true }, 'f', () => {}),
    ).toThrow(/regular expression|regex/i);
  });
});
