/** Patterns and lines made up from a seed: the same on every run. */

export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

/** Letters whose other-case forms depend on engine and flags, and characters that are white space or end lines. */
const CHARACTERS = [
  ...'abckKsSſ\u212a'.split(''),
  ...['é', 'É', 'ß', 'ẞ', 'σ', 'ς', 'Σ', 'İ', 'ı', 'i', 'I', 'µ', 'μ', 'Å', 'å', '\u212b', 'ǆ', 'ǅ'],
  ...['😀', '𐐀', '𐐨', '0', '9', '٣', '_', ' ', '\t', '\u00a0', '\ufeff', '\u0085', '\u2028', '\ufffd'],
  ...['-', '(', ')', '{', '}', '.', '$', '^', '&', '\r', '"', '/', 'A', 'B', '[', ']', '\\', '*'],
];

/** Lines as bytes: most are UTF-8, some are not, and some end in a carriage return. */
export function generatedLines(random: Random, count: number): Buffer[] {
  const lines: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    const length = Math.floor(random() * 9);
    let text = '';
    for (let k = 0; k < length; k++) text += pick(random, CHARACTERS);
    if (random() < 0.1) text += '\r';
    lines.push(Buffer.from(text));
  }
  for (let i = 0; i < count / 10; i++) lines.push(Buffer.from(withRepeat(random)));
  for (let i = 0; i < count / 20; i++) {
    const broken = [pick(random, [0x61, 0x62]), 0xff, pick(random, [0x61, 0x6b, 0xc3]), 0xe2, 0x80];
    lines.push(Buffer.from([...broken, ...(random() < 0.5 ? [0x6b] : [])]));
  }
  return lines;
}

/** A text that occurs twice, or almost, with something between and around it. */
function withRepeat(random: Random): string {
  const letters = Array.from({ length: Math.floor(random() * 6) }, () => pick(random, [...'aab_kK']));
  const text = letters.join('');
  const again = random() < 0.7 ? text : text.slice(0, -1);
  const around = ['', '', 'a', 'k', ' ', 'é', '_', '-', 'a_'];
  const between = pick(random, ['_', ' ', '  ', '', '-', '\u00a0', '_a_', '\t ']);
  return pick(random, around) + text + between + again + pick(random, around);
}

const ATOMS = [
  ...['a', 'b', 'k', 's', 'S', 'K', 'é', 'ß', 'σ', 'ſ', 'µ', 'Å', 'İ', 'i', '😀', '𐐀', '\\ufffd', '"'],
  ...['\\d', '\\w', '\\s', '\\D', '\\W', '\\S', '.', '[abc]', '[^a]', '[a-k]', '[^\\s]', '[\\w-]', '[é-ü]'],
  ...['[A-Zé]', '[0-9_]', '[kK]', '[sß]', '\\b', '\\B', '^', '$', '\\u0061', '\\x6b', '\\(', '\\.', '\\$'],
  ...['\\r', '\\t', '\\n', '(?=a)', '(?!a)', '(?<=a)', '(?<!k)', '(?=.*s)', '(a|b)', '(?:k|s|é)', '(?<n>a)?'],
  ...['()', '\\1', '(?:ab)+', '(k)\\1', '(?:a|)', '[^]', '[\\s\\S]', '[.\\-]'],
];
const UNICODE_ATOMS = ['\\p{L}', '\\P{L}', '\\u{1F600}', '[\\p{Lu}_]', '[^\\p{L}]', '\\p{Lu}'];
const LEGACY_ATOMS = ['{', '\\z', '\\h', 'a{,2}', '[]', '\\-', '\\ud83d', '[\\ud83d]', '\\8', '\\07'];
const SET_ATOMS = ['[\\w--[a-c]]', '[\\q{ab|k}]', '[[a-k]&&[^b]]', '[\\q{}a]', '\\p{RGI_Emoji}'];
const MODIFIED_ATOMS = ['(?i:k)', '(?-i:a)', '(?i:aé)', '(?s:.)', '(?m:^a$)', '(?-s:.)'];
const QUANTIFIERS = ['', '', '', '', '*', '+', '?', '{2}', '{1,2}', '*?', '+?', '{2,}', '{0}', '{3}'];

export interface GeneratedPattern {
  source: string;
  flags: string;
}

/** Undefined if the engine does not accept the generated pattern. */
export function generatedPattern(random: Random): GeneratedPattern | undefined {
  const mode = pick(random, ['', '', 'u', 'v']);
  const flags =
    (random() < 0.4 ? 'i' : '') + (random() < 0.2 ? 'm' : '') + (random() < 0.2 ? 's' : '') + mode;
  const extra = mode === '' ? LEGACY_ATOMS : mode === 'v' ? [...UNICODE_ATOMS, ...SET_ATOMS] : UNICODE_ATOMS;
  const atoms = [...ATOMS, ...ATOMS, ...extra, ...MODIFIED_ATOMS];
  const parts = 1 + Math.floor(random() * 5);
  let source = '';
  for (let i = 0; i < parts; i++) {
    const atom = pick(random, atoms);
    const isAssertion = /^(\\b|\\B|\^|\$|\(\?<?[=!])/.test(atom);
    source += atom + (isAssertion ? '' : pick(random, QUANTIFIERS));
    if (random() < 0.08) source += '|';
  }
  try {
    new RegExp(source, flags);
    return { source, flags };
  } catch {
    return undefined;
  }
}

/** Patterns chosen by hand, on which engines, flags and encodings disagree. */
export const CHOSEN: readonly GeneratedPattern[] = [
  ...[
    'k',
    's',
    'K',
    'ſ',
    '\u212a',
    'task',
    'ß',
    'ẞ',
    'σ',
    'ς',
    'İ',
    'i',
    'ı',
    'µ',
    'Å',
    '\u212b',
    'ǆ',
    '𐐀',
  ].flatMap((source) => ['', 'i', 'u', 'iu', 'v', 'iv'].map((flags) => ({ source, flags }))),
  ...[
    '\\d+',
    '\\w+',
    '\\s',
    '\\bk',
    'k\\b',
    '\\Bs',
    '^$',
    '^',
    '$',
    'a$',
    '\\r',
    '\\r$',
    '.$',
    '^.$',
    '^..$',
  ].flatMap((source) => ['', 'i', 'm', 's', 'ms', 'u', 'iu', 'iv'].map((flags) => ({ source, flags }))),
  ...[
    'a.*b',
    '(a)(b)?\\2',
    '(?<x>a).*\\k<x>',
    '(?<=a)b',
    '(?<!a)b',
    'a(?!\\s)',
    'a(?=\\s)',
    '(?!)',
    '[]',
    '[^]',
  ].map((source) => ({ source, flags: '' })),
  ...[
    'a\\nb',
    'a\\s*b',
    '[^x]*k',
    '(?:)',
    'x*',
    'a|',
    '|',
    '\\0',
    '\\x00',
    'a{0}',
    '\\ufeff',
    '\\ufffd',
    '\\u2028',
  ].map((source) => ({ source, flags: '' })),
  ...[
    '\\b(\\w{2,})_\\1\\b',
    '(\\w{2,})_\\1',
    '(\\w{3,}?)_\\1\\b',
    '\\b(\\w+)\\s+\\1\\b',
    '([a-c]+)[ _-]\\1',
    '\\b([ab]+)(?:_| )\\1',
    '(?<t>[a-z]{2})\\k<t>',
    '(a|ab)(c|_)\\1',
    '(\\w+)\\b \\1$',
    '(\\w)(\\w)-?\\2\\1',
    '(\\w\\w)(?=.)\\1|kk',
    '(.{2})_\\1',
    '(_+)_\\1',
    '\\B(\\w+)_\\1\\B',
    '^(?=.*a)(?=.*k)',
    '(a|b|c|k|s|A|B|i|I)é',
    'aaaaaaaa|k',
    '[A-Z][a-z][0-9]',
    '[kK][sS]',
    '[a-c]{2}\\W',
  ].flatMap((source) => ['', 'i', 'iu'].map((flags) => ({ source, flags }))),
];
