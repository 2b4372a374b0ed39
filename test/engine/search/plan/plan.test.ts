import { describe, expect, it } from 'vitest';
import { requiredRun } from '../../../../src/engine/search/plan/byte-run.ts';
import { casedCharacters, caseForms } from '../../../../src/engine/search/plan/characters.ts';
import { requiredLiterals } from '../../../../src/engine/search/plan/literals.ts';
import { parsePattern } from '../../../../src/engine/search/plan/parse-pattern.ts';
import { planSearch } from '../../../../src/engine/search/plan/plan.ts';

function literalsOf(source: string, flags = ''): string[] | undefined {
  const found = requiredLiterals(parsePattern(source, flags)!);
  return found?.literals.map((literal) => Buffer.from(literal, 'latin1').toString('utf8')).sort();
}

describe('the literals that every match contains', () => {
  it.each<[string, string, string[] | undefined]>([
    ['createProxy', '', ['createProxy']],
    ['TODO|FIXME', '', ['FIXME', 'TODO']],
    ['function\\s+\\w+\\(', '', ['function']],
    ['(?=.*special)\\w+', '', ['special']],
    ['(?<=special )\\w+', '', ['special ']],
    ['(?!special)\\w+', '', undefined],
    ['(?:special)?', '', undefined],
    ['(?:special)+', '', ['special']],
    ['(special)\\1', '', ['special']],
    ['gr[ae]y', '', ['gray', 'grey']],
    ['colou?rs', '', ['colors', 'colours']],
    ['require\\((?=[\'"]node:)', '', ['require("node:', "require('node:"]],
    ['ab{3}c', '', ['abbbc']],
    ['Größe', '', ['Größe']],
    ['Task', 'i', ['task']],
    ['Task', 'iu', ['task', 'tas\u212a', 'ta\u017fk', 'ta\u017f\u212a']],
    ['\\ud83d\\ude00', '', ['😀']],
    ['x\\ud83d', '', ['x']],
    ['a\\nb', '', ['b']],
    ['\\ufffd', '', undefined],
  ])('of /%s/%s are %j', (source, flags, expected) => {
    expect(literalsOf(source, flags)).toEqual(expected?.sort());
  });
});

describe('the run of one class that every match contains', () => {
  it.each<[string, string, number | undefined, string]>([
    ['\\w{60,}', '', 60, 'azAZ09_'],
    ['\\b[a-z]+(?:[A-Z][a-z]+){9}\\b', '', 19, 'azAZ'],
    ['foo.*[A-Z]{40}', '', 40, 'AZ'],
    ['.*(?:.[0-9]{30}.)+.*', '', 30, '09'],
    ['(?:[ab]{20}|[cd]{30})', '', 20, 'abcd'],
    ['(?=.{100})[0-9]{50}', '', 50, '09'],
    ['.{3000,}', '', 3000, ' azAZ09_\u00e9'],
    ['[0-9]{30}(?:abc)?', '', 30, '09'],
    ['[k]{30}', 'iu', 30, 'kK\u212a'],
    ['(?:[0-9]{0}){40}', '', undefined, ''],
    ['(a{20})?', '', undefined, ''],
    ['(a)\\1{20}', '', undefined, ''],
  ])('of /%s/%s has %s bytes', (source, flags, length, allowed) => {
    const found = requiredRun(parsePattern(source, flags)!);
    expect(found?.filter.length).toBe(length);
    for (const byte of Buffer.from(allowed)) expect(found!.filter.bytes[byte]).toBe(1);
    expect(found?.filter.bytes[0x0a] ?? 0).toBe(0);
  });
});

describe('patterns with repetitions within repetitions', () => {
  it.each([
    ['bounds below', `${'(?:'.repeat(40)}[ab]${'){8,}'.repeat(40)}`],
    ['exact numbers', `${'(?:'.repeat(40)}[ab]${'){8}'.repeat(40)}`],
    ['one or more', `${'(?:'.repeat(40)}[ab]c?${')+'.repeat(40)}`],
    ['nothing at all', `${'(?:'.repeat(40)}${'){8,}'.repeat(40)}`],
    ['two of each', `${'(?:'.repeat(12)}[ab]${')+[cd]{8,}'.repeat(12)}`],
    ['letters', `${'(?:'.repeat(40)}ab${'){8,}'.repeat(40)}`],
  ])(
    'are analysed without following all of them: %s',
    (_, source) => {
      expect(planSearch(source, '', { ripgrep: true }).matcher.source).toBe(source);
    },
    5000,
  );
});

describe('letters that differ only in case', () => {
  it('are those that the engine itself treats as equal', () => {
    expect([...caseForms(0x6b, true)].sort()).toEqual(['K', 'k', '\u212a']);
    expect([...caseForms(0x6b, false)].sort()).toEqual(['K', 'k']);
    expect([...caseForms(0x17f, true)].sort()).toEqual(['S', 's', 'ſ']);
    expect([...caseForms(0x17f, false)]).toEqual(['ſ']);
    expect([...caseForms(0x3c3, false)].sort()).toEqual(['Σ', 'ς', 'σ']);
    expect([...caseForms(0xdf, true)].sort()).toEqual(['ß', 'ẞ']);
    expect([...caseForms(0x130, true)]).toEqual(['İ']);
  });

  it('are all among the cased characters', () => {
    const cased = casedCharacters();
    const known = new Set(cased);
    let others = '';
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      if (!known.has(character)) others += character;
    }
    const oneOf = (characters: string) => `[${characters.replace(/[\]\\^-]/g, '\\$&')}]`;
    const basic = (text: string) => text.replace(/[\ud800-\udfff]/g, '');
    expect(others.match(new RegExp(oneOf(cased), 'iu'))).toBeNull();
    expect(basic(others).match(new RegExp(oneOf(basic(cased)), 'i'))).toBeNull();
  });
});

describe('a plan', () => {
  it.each([
    ['needle', '', 'literal', 'every match contains "needle"'],
    ['needle', 'i', 'literal', 'every match contains "needle" in any case'],
    ['[A-Z]{4}[0-9]{6}[A-Z]', '', 'classes', 'every match contains 11 adjacent bytes of known classes'],
    [
      '\\b(\\w{4,})_\\1\\b',
      '',
      'classes',
      'every match contains a text of at least 4 bytes of one class twice',
    ],
    [
      '\\b(\\w+)\\s+\\1\\b',
      '',
      'classes',
      'every match contains a text of at least 1 bytes of one class twice',
    ],
  ])('for /%s/%s is %s', (source, flags, plan, why) => {
    expect(planSearch(source, flags, { ripgrep: true })).toMatchObject({ plan, why });
  });

  it('has a form of the pattern for whole texts only if threads use it', () => {
    expect(planSearch('need.*le', '', { ripgrep: true }).matcher.wholeText).toBeUndefined();
    expect(planSearch('.*', '', { ripgrep: true }).matcher.wholeText).toBeInstanceOf(RegExp);
  });

  it.each([
    ['(?:', ')?'],
    ['(', ')'],
    ['(?=', ')'],
    ['(?:b|', ')'],
  ])('accepts %s…%s nested as deep as the engine does, even if it cannot analyse that', (open, close) => {
    for (const depth of [100, 1400, 1900]) {
      const source = `${open.repeat(depth)}[ab]${close.repeat(depth)}`;
      expect(() => planSearch(source, '', { ripgrep: true })).not.toThrow();
    }
  });

  it('leaves patterns without a prefilter to ripgrep, or to the workers if it is missing', () => {
    expect(planSearch('\\w+', '', { ripgrep: true })).toMatchObject({ plan: 'ripgrep' });
    expect(
      planSearch('\\w+', '', { ripgrep: false, whyNotRipgrep: 'ripgrep is not installed' }),
    ).toMatchObject({
      plan: 'workers',
      why: 'the pattern has nothing that a scan could look for, and ripgrep is not installed: every line is tried',
    });
  });

  it('refuses a bad pattern and gives the reason', () => {
    expect(() => planSearch('a(', '', { ripgrep: true })).toThrow(
      expect.objectContaining({ facts: { kind: 'bad-regex', pattern: 'a(', reason: 'Unterminated group' } }),
    );
  });
});
