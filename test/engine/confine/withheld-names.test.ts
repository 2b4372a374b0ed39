import { describe, expect, it } from 'vitest';
import { rawOf } from '../../../src/engine/confine/scan/raw-names.ts';
import { folded } from '../../../src/engine/confine/withheld/name-forms.ts';
import { withheldIn } from '../../../src/engine/confine/withheld/read-rules.ts';

const rules = (deny: string[], hide: string[] = []) =>
  withheldIn([{ path: '/served', ignoreFile: undefined }], { deny, hide })!;

/** A directory of a file system that ignores letter case, and one of a file system that does not. */
const ignoring = () => true;
const heeding = () => false;

describe('letter case', () => {
  it.each([
    ['.env', '.ENV'],
    ['.env', '.Env'],
    ['Secret.txt', 'SECRET.TXT'],
    ['*.PEM', 'server.pem'],
    ['[A-C]x', 'bX'],
    ['[[:upper:]]x', 'ax'],
    ['straße.key', 'STRAßE.KEY'],
    ['.ssh', '.\u017fsh'],
    ['k.txt', '\u212a.txt'],
    ['é.key', 'E\u0301.KEY'],
  ])('%s means %s where the file system ignores it, and there only', (glob, name) => {
    const withheld = rules([glob]);
    expect(withheld.verdictOnName('/served', rawOf(name), false, ignoring)).toBe('denied');
    expect(withheld.verdictOnName('/served', rawOf(name), false, heeding)).toBeUndefined();
  });

  it('is ignored in the directories above too', () => {
    const withheld = rules(['/Private/key.txt']);
    expect(withheld.verdictOnName('/served/private', 'key.txt', false, ignoring)).toBe('denied');
    expect(withheld.verdictOnName('/served/private', 'key.txt', false, heeding)).toBeUndefined();
    expect(withheld.verdictOnName('/served/Private', 'key.txt', false, heeding)).toBe('denied');
  });

  it('is compared without the characters that a file system ignores', () => {
    expect(folded(rawOf('.e\u200cnv'))).toBe('.env');
    expect(folded(rawOf('.ENV'))).toBe('.env');
  });
});

describe('a path, judged by its text alone', () => {
  it('is withheld when a directory above it is', () => {
    const withheld = rules(['.env', 'vault/'], ['plans']);
    expect(withheld.verdictOnPath('/served/a/.env', false)).toBe('denied');
    expect(withheld.verdictOnPath('/served/vault/a/b', false)).toBe('denied');
    expect(withheld.verdictOnPath('/served/vault', false)).toBeUndefined();
    expect(withheld.verdictOnPath('/served/vault', true)).toBe('denied');
    expect(withheld.verdictOnPath('/served/plans/vault/x', false)).toBe('hidden');
    expect(withheld.verdictOnPath('/served', true)).toBeUndefined();
    expect(withheld.verdictOnPath('/elsewhere/.env', false)).toBeUndefined();
    expect(withheld.verdictOnPath('/served2/.env', false)).toBeUndefined();
  });

  it('is hidden rather than denied when it is both', () => {
    expect(rules(['*.key'], ['a.key']).verdictOnName('/served', 'a.key', false, heeding)).toBe('hidden');
  });
});

describe('names that are not UTF-8', () => {
  it('are matched by globs all the same', () => {
    expect(rules(['*.key']).verdictOnName('/served', '\xff.key', false, heeding)).toBe('denied');
    expect(rules(['vault/*']).verdictOnName('/served/vault', '\xff\xfe', false, heeding)).toBe('denied');
  });
});
