/** Narrowing a search down, and counting once for many edits, must not change any result. */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { EditedText } from '../../../../src/engine/text/edit/edited-text.ts';
import { applySplices } from '../../../../src/engine/text/edit/splice.ts';
import { closestPlace } from '../../../../src/engine/text/edit/tolerant/closest-place.ts';
import {
  FITS,
  placeFinder,
  tolerantPlaces,
} from '../../../../src/engine/text/edit/tolerant/fitting-places.ts';
import { keyOf } from '../../../../src/engine/text/edit/tolerant/line-keys.ts';
import { narrowedText } from '../../../../src/engine/text/edit/tolerant/narrowed-text.ts';
import { splitLines } from '../../../../src/engine/text/encoding.ts';
import { lineEndingOf } from '../../../../src/engine/text/line-endings.ts';
import { soak } from '../../../soak.ts';
import { pick, type Random, seededRandom } from '../patch/samples.ts';

const WORDS = [
  'a',
  'foo',
  '}',
  '"x"',
  '“x”',
  'it’s',
  '–',
  '-',
  'a\u00a0b',
  'a b',
  '\u{1f600}',
  'x\u2028\ty',
  'x\u2028  y',
  '\r',
  `${'a long line '.repeat(6)}\u{1f600}`,
];
const INDENTS = ['', '  ', '    ', '\t', '\t\t', ' \t', '\u00a0', '\u00a0\t'];

function someText(random: Random, lines: number): string {
  const ending = pick(random, ['\n', '\n', '\r\n']);
  const line = () => {
    const words = Array.from({ length: random(4) }, () => pick(random, WORDS));
    return pick(random, INDENTS) + words.join(' ') + pick(random, ['', '', ' ', '\t']);
  };
  const text = Array.from({ length: random(lines) }, () => line() + ending).join('');
  return random(2) === 0 ? text : text.replace(/\r?\n$/, '');
}

/** A part of the text as somebody may have copied it. */
function someCopy(random: Random, text: string): string {
  const lines = text.split('\n');
  const from = random(lines.length);
  const spoil = pick<(line: string) => string>(random, [
    (line) => line,
    (line) => line.trim(),
    (line) => `  ${line} `,
    (line) => line.replace(/^\t+/, (tabs) => '    '.repeat(tabs.length)),
    (line) => line.replace(/^ +/, '\t'),
    (line) => line.replace(/[“”]/g, '"').replace(/\u00a0/g, ' '),
    (line) => line.replace(/ /g, '\u00a0'),
  ]);
  const copy = lines.slice(from, from + 1 + random(3)).map(spoil);
  return copy.join('\n') + (random(2) === 0 ? '\n' : '');
}

it('finds the same places, whether it searches the whole file or only the lines that may match', () => {
  const random = seededRandom(5);
  const counts = { found: 0, narrowed: 0 };
  for (let round = 0; round < soak(600, 3000); round++) {
    const text = someText(random, 30);
    const wanted = someCopy(random, text);
    const needle = wanted.replaceAll('\r\n', '\n');
    const placesFor = placeFinder(text, wanted);
    for (const fit of FITS) {
      if (fit === 'exact') continue;
      const places = placesFor(fit);
      const expected = tolerantPlaces(fit, text, needle, text);
      if (!isDeepStrictEqual(places, expected)) expect({ text, wanted, fit, places }).toEqual({ expected });
      if (places.length > 0) counts.found++;
      if (places.length > 0 && narrowedText(text, needle, fit === 'typography')) counts.narrowed++;
    }
  }
  expect(counts.narrowed).toBeGreaterThan(soak(100, 500));
  expect(counts.found).toBeGreaterThan(counts.narrowed);
});

it('counts lines and line ends as they are in the edited text', () => {
  const random = seededRandom(6);
  let places = 0;
  for (let round = 0; round < soak(40, 200); round++) {
    let text = someText(random, 30).repeat(1 + 60 * random(3));
    const edited = new EditedText(text, 1 + random(40));
    for (let edit = 0; edit < 8; edit++) {
      const start = random(text.length + 1);
      const end = Math.min(text.length, start + random(40));
      const splices = [
        { start, end, text: pick(random, ['', '\n', '\r', '\r\n', 'a\nb', someText(random, 9)]) },
      ];
      text = applySplices(text, splices);
      if (edited.hasReturns || splices[0]!.text.includes('\r')) edited.setText(text, splices);
      else edited.replace(splices[0]!);
      expect(edited.text).toBe(text);
      expect(edited.length).toBe(text.length);
      const sought = text.slice(start, start + 1 + random(9));
      const isOnly = sought !== '' && text.indexOf(sought) === text.lastIndexOf(sought);
      expect([isOnly ? start : undefined, undefined]).toContain(edited.onlyPlaceOf(sought));
      if (isOnly && edited.onlyPlaceOf(sought) === start) places++;
      const at = random(text.length + 1);
      expect(edited.lineNumberAt(at)).toBe(text.slice(0, at).split('\n').length);
      expect(edited.lineEnding()).toBe(lineEndingOf(text));
    }
  }
  expect(places).toBeGreaterThan(soak(40, 200));
});

it('finds the closest place: the one with most lines in common, ignoring blanks and typography', () => {
  const random = seededRandom(7);
  for (let round = 0; round < soak(200, 1000); round++) {
    const text = someText(random, 30);
    const wanted = `nowhere\n${someCopy(random, text)}\nneither`;
    const [keys, sought] = [text, wanted].map((each) => splitLines(each).map(keyOf));
    const shares = Array.from({ length: keys!.length + sought!.length }, (_, end) => {
      const range = keys!.slice(Math.max(0, end - sought!.length), end).filter((key) => key !== '');
      const left = [...sought!];
      return range.filter((key) => left.includes(key) && left.splice(left.indexOf(key), 1)).length;
    });
    expect(closestPlace(text, wanted)?.shared ?? 0).toBe(Math.max(0, ...shares));
  }
});

it('searches for many edits of a long file only where they may match', () => {
  const text = Array.from({ length: 100_000 }, (_, line) => `\tline ${line}\n`).join('');
  const view = narrowedText(text, '  line 77077\n  line 77078\n', false)!;
  expect(view.text.length).toBeLessThan(100);
  expect(view.toReal(view.text.indexOf('\tline 77077'))).toBe(text.indexOf('\tline 77077'));
});
