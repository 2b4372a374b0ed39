/** Compares every encoding with iconv-lite itself, the decoder of the platform and the iconv of the system. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toUSVString } from 'node:util';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byteOffsets } from '../../../src/engine/charset/byte-offsets.ts';
import { decodeUnmarked, encode, streamDecoder } from '../../../src/engine/charset/codec.ts';
import { charsetNamed } from '../../../src/engine/index.ts';
import { soak } from '../../soak.ts';
import { temporaryDirectory } from '../../tree.ts';
import { randomBytes, randomText, seeded, tabled } from './charset-fixture.ts';

const repertoires = new Map<string, string[]>();

const BLOCK = 96;
const BLOCKS: string[][] = [];
for (let code = 0xa0; code < 0xffff; code += BLOCK) {
  BLOCKS.push(Array.from({ length: BLOCK }, (_, index) => String.fromCharCode(code + index)));
}
const NO_CHARACTER = /[\ud800-\udfff\uffff]/;

/** The characters that an encoding has. Many are tried at once, and singly if some of them combine into one. */
function repertoire(charset: string): string[] {
  const known = repertoires.get(charset);
  if (known) return known;
  const found: string[] = [];
  repertoires.set(charset, found);
  for (const block of BLOCKS) {
    const back = iconv.decode(iconv.encode(block.join(''), charset), charset);
    const isKept = (character: string, index: number) =>
      back.length === BLOCK ? back[index] === character : Buffer.isBuffer(encode(character, charset));
    found.push(...block.filter((each, index) => isKept(each, index) && !NO_CHARACTER.test(each)));
  }
  return found;
}

function platformDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

const hasIconv = spawnSync('iconv', ['--version']).status === 0;
const scratch = temporaryDirectory();
afterAll(() => scratch.remove());
/** Other names for the system's iconv, chosen where tables differ in a few vendor characters. */
const SYSTEM_NAMES: Readonly<Record<string, string>> = {
  shift_jis: 'CP932',
  'euc-kr': 'CP949',
  big5: 'BIG5-HKSCS',
  'windows-1255': 'CP1255',
};

/** The letters that an encoding has. */
function lettersOf(charset: string): string[] {
  return repertoire(charset).filter((each) => /^\p{L}$/u.test(each));
}

/** The letters that the platform, if it knows the encoding, reads as we write them. */
function agreedLettersOf(charset: string): string[] {
  const decoder = platformDecoder(charset);
  const isAgreed = (each: string) => decoder?.decode(encode(each, charset) as Buffer) === each;
  return decoder ? lettersOf(charset).filter(isAgreed) : lettersOf(charset);
}

/** A text for each encoding, which the system's iconv writes and reads: one shell does it for all of them. */
const texts = new Map<string, { agreed: string[]; text: string }>();
beforeAll(() => {
  const lines = ['cd "$1"'];
  for (const charset of tabled) {
    const agreed = agreedLettersOf(charset);
    const text = randomText(seeded(7), agreed, 500);
    texts.set(charset, { agreed, text });
    writeFileSync(join(scratch.path, `${charset}.text`), text);
    const name = SYSTEM_NAMES[charset] ?? charset.toUpperCase().replace('_', '-');
    lines.push(`iconv -c -f UTF-8 -t ${name} ${charset}.text > ${charset}.made`);
    lines.push(`iconv -f ${name} -t UTF-8 ${charset}.made > ${charset}.back`);
  }
  if (hasIconv) spawnSync('sh', ['-c', lines.join('\n'), 'sh', scratch.path]);
});

describe.each(tabled)('%s', (charset) => {
  it('reads and writes random texts as iconv-lite does', () => {
    const random = seeded(charset.length);
    const characters = repertoire(charset);
    for (let i = 0; i < 20; i++) {
      const text = randomText(random, characters, 80);
      const bytes = encode(text, charset);
      expect(bytes).toEqual(iconv.encode(text, charset));
      expect(decodeUnmarked(bytes as Buffer, charset)).toBe(text);
    }
  });

  it('reads what others have written', () => {
    const { agreed, text } = texts.get(charset)!;
    // The platform lacks the characters that vendors added to some encodings.
    expect(agreed.length).toBeGreaterThan(lettersOf(charset).length * 0.4);
    expect(platformDecoder(charset)?.decode(encode(text, charset) as Buffer) ?? text).toBe(text);
    if (!hasIconv) return;
    const made = readFileSync(join(scratch.path, `${charset}.made`));
    const back = readFileSync(join(scratch.path, `${charset}.back`), 'utf8');
    const ours = [...decodeUnmarked(made, charset)];
    const differing = [...back].filter((each, index) => each !== ours[index]);
    expect(back.length).toBeGreaterThan(400);
    expect(differing.length).toBeLessThan(back.length * 0.01 + 1);
  });

  it('reads random bytes whole, in pieces and by character alike', () => {
    const random = seeded(charset.length + 1);
    for (let i = 0; i < soak(25, 60); i++) {
      const bytes = randomBytes(random, random(60));
      const text = decodeUnmarked(bytes, charset);
      expect(text).toBe(toUSVString(iconv.decode(bytes, charset)));
      const decoder = streamDecoder(charset);
      let pieces = '';
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + random(5);
        pieces += decoder.write(bytes.subarray(at, end));
        at = end;
      }
      expect(pieces + decoder.end() + decoder.end()).toBe(text);
      const offsets = byteOffsets(bytes, text, charset);
      const wrong = [...Array(text.length + 1).keys()].filter((at) => {
        const { at: before, byte } = offsets.before(at);
        if (before !== at) return at - before > 1;
        return decodeUnmarked(bytes.subarray(0, byte), charset) !== text.slice(0, at);
      });
      expect(wrong).toEqual([]);
    }
  });

  it('has a newline of one byte, and that byte is always a newline', () => {
    for (let lead = 0x80; lead < 0x100; lead++) {
      expect(decodeUnmarked(Buffer.from([lead, 10]), charset)).toMatch(/^[^\n]\n$/);
    }
  });

  it('names the first character that it lacks', () => {
    const lacks = charset === 'gb18030' ? '\ud800' : '\u{1f600}';
    expect(encode(`ab\n${lacks}c${lacks}`, charset)).toEqual({ character: lacks, at: 3 });
  });
});

it('knows the names of encodings in any letter case', () => {
  expect(['Latin1', 'CP1252', 'Shift-JIS', 'UTF-16LE', 'EUC_KR'].map(charsetNamed)).toEqual([
    'iso-8859-1',
    'windows-1252',
    'shift_jis',
    'utf-16le',
    'euc-kr',
  ]);
  expect(charsetNamed('klingon')).toBeUndefined();
});
