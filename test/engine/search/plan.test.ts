import { describe, expect, it } from 'vitest';
import { casedCharacters, caseForms } from '../../../src/engine/search/pattern/characters.ts';
import { requiredLiterals } from '../../../src/engine/search/pattern/literals.ts';
import { parsePattern } from '../../../src/engine/search/pattern/scope.ts';
import { planSearch } from '../../../src/engine/search/plan.ts';

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

describe('letters that differ only in case', () => {
  it('are those that the engine itself takes for the same', () => {
    expect([...caseForms(0x6b, true)].sort()).toEqual(['K', 'k', '\u212a']);
    expect([...caseForms(0x6b, false)].sort()).toEqual(['K', 'k']);
    expect([...caseForms(0x17f, true)].sort()).toEqual(['S', 's', 'ſ']);
    expect([...caseForms(0x17f, false)]).toEqual(['ſ']);
    expect([...caseForms(0x3c3, false)].sort()).toEqual(['Σ', 'ς', 'σ']);
    expect([...caseForms(0xdf, true)].sort()).toEqual(['ß', 'ẞ']);
    expect([...caseForms(0x130, true)]).toEqual(['İ']);
  });

  it('are all among the characters that are asked about', () => {
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
  ])('for /%s/%s is %s', (source, flags, plan, why) => {
    expect(planSearch(source, flags, { ripgrep: true })).toMatchObject({ plan, why });
  });

  it('leaves patterns that tell nothing to ripgrep, or to the workers where it is missing', () => {
    expect(planSearch('\\w+', '', { ripgrep: true })).toMatchObject({ plan: 'ripgrep' });
    expect(
      planSearch('\\w+', '', { ripgrep: false, whyNotRipgrep: 'ripgrep is not installed' }),
    ).toMatchObject({
      plan: 'workers',
      why: 'nothing in the pattern tells its lines apart, and ripgrep is not installed: every line is tried',
    });
  });

  it('refuses a bad pattern with the reason', () => {
    expect(() => planSearch('a(', '', { ripgrep: true })).toThrow(
      expect.objectContaining({ facts: { kind: 'bad-regex', pattern: 'a(', reason: 'Unterminated group' } }),
    );
  });
});
