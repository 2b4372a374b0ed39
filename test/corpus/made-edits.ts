/**
 * Makes edits of sources in any language: the small changes that people ask for most, at places where the source has
 * something to change. The same seed gives the same edits.
 */
import { seededRandom } from '../engine/text/patch/samples.ts';
import { type CorpusEdit, editCorpus } from './edit-corpus.ts';
import type { Random } from './spoil.ts';

/** Changes a block of lines that begins with the chosen line; undefined if the change does not fit. */
type Change = (block: readonly string[], random: Random, step: string | undefined) => string[] | undefined;

const KEYWORDS = new Set(
  'case class const define else endif export extern from function import include local public return self then this type void'.split(
    ' ',
  ),
);

const CHANGES: Record<string, Change> = {
  'another condition': ([line, ...rest]) => {
    if (!/\b(?:if|while|elif|elsif|unless|when)\b/.test(line!)) return undefined;
    const changed = line!
      .replace(/ (==|===|-eq|eq) /, ' != ')
      .replace(/ < /, ' <= ')
      .replace(/ (&&|and) /, (_, word) => (word === 'and' ? ' or ' : ' || '));
    return changed === line ? undefined : [changed, ...rest];
  },
  'a variable renamed': (block, random) => {
    const words: readonly string[] = block.join('\n').match(/\b[a-z]\w{3,}\b/g) ?? [];
    const often = [...new Set(words)].filter(
      (word) => words.indexOf(word) !== words.lastIndexOf(word) && !KEYWORDS.has(word),
    );
    if (often.length === 0) return undefined;
    const word = often[random(often.length)]!;
    return block.map((line) => line.replace(new RegExp(`\\b${word}\\b`, 'g'), `${word}_now`));
  },
  'another parameter': ([line, ...rest]) => {
    const called = /^(\s*(?:def|function|fn|func|static|async|export)\b.*\w\(\w[^()]*)\)(.*)$/.exec(line!);
    return called ? [`${called[1]}, verbose)${called[2]}`, ...rest] : undefined;
  },
  'another text': ([line, ...rest]) => {
    const quoted = /(["'])(\w[^"'\\]{3,})\1/.exec(line!);
    return quoted ? [line!.replace(quoted[2]!, `${quoted[2]} again`), ...rest] : undefined;
  },
  'another number': ([line, ...rest]) =>
    /\b[1-9]\d*\b/.test(line!) ? [line!.replace(/\b[1-9]\d*\b/, '$&0'), ...rest] : undefined,
  'a line taken out': ([line, ...rest]) => (/\w.*[;)]$/.test(line!) ? rest : undefined),
  'lines set further in': (block, _, step) => {
    const indent = /^\s*/.exec(block[0]!)![0];
    if (step === undefined || !block.slice(0, 2).every((line) => line.startsWith(indent) && /\w/.test(line)))
      return undefined;
    const inner = block.slice(0, 2).map((line) => step + line);
    return [`${indent}if (verbose) {`, ...inner, `${indent}}`, ...block.slice(2)];
  },
  'a line put in': ([line, ...rest]) => {
    const indent = /^\s*/.exec(line!)![0];
    return /\w/.test(line!) ? [line!, `${indent}check_${line!.length}(verbose);`, ...rest] : undefined;
  },
};

const TRIES = 400;
const MADE_FOR_EACH = 5;

/** The edits of the corpus, and about as many again that are generated from its sources. */
export function testEdits(): CorpusEdit[] {
  const written = editCorpus();
  const random = seededRandom(7);
  const sources = new Map(written.map(({ title, source }) => [source, title.split(':')[0]!]));
  const made = [...sources].flatMap(([source, title]) => madeEdits(title, source, MADE_FOR_EACH, random));
  return [...written, ...made];
}

/** Up to `count` edits of a source, each in one place; fewer if the source has no more to change. */
function madeEdits(title: string, source: string, count: number, random: Random): CorpusEdit[] {
  const lines = source.split('\n');
  const edits: CorpusEdit[] = [];
  const kinds = Object.keys(CHANGES);
  for (let tries = 0; tries < TRIES && edits.length < count; tries++) {
    const kind = kinds[(edits.length + tries) % kinds.length]!;
    const edit = editAt(lines, random(lines.length), kind, random);
    if (edit && source.split(edit.oldText).length === 2) {
      const expected = source.replace(edit.oldText, () => edit.newText);
      edits.push({ title: `${title}: ${kind}`, source, ...edit, expected });
    }
  }
  return edits;
}

/** The indentation of one level; undefined if a file has both tabs and blanks. */
function stepOf(lines: readonly string[]): string | undefined {
  const widths = lines.map((line) => /^ {2,}(?=\S)/.exec(line)?.[0].length ?? 0).filter((width) => width > 0);
  const hasTabs = lines.some((line) => line.startsWith('\t'));
  if (hasTabs) return widths.length > 0 ? undefined : '\t';
  return ' '.repeat(Math.min(4, ...widths));
}

/** An edit with up to two lines around the block that changes, as models send them. */
function editAt(lines: readonly string[], at: number, kind: string, random: Random) {
  const to = Math.min(lines.length - 1, at + 2 + random(6));
  const block = lines.slice(at, to);
  if (block.length < 2) return undefined;
  const changed = CHANGES[kind]!(block, random, stepOf(lines));
  if (changed === undefined) return undefined;
  const before = lines.slice(Math.max(0, at - random(3)), at);
  const after = lines.slice(to, Math.min(lines.length - 1, to + random(3)));
  const text = (part: readonly string[]) =>
    [...before, ...part, ...after].map((line) => `${line}\n`).join('');
  return { oldText: text(block), newText: text(changed) };
}
