/** The trace summarizes arguments: enough to know what was asked, but no contents and no secrets. */
import { describe, expect, it } from 'vitest';
import { sentenceWithoutContents } from '../../../src/engine/index.ts';
import { briefOf } from '../../../src/trace/events/brief.ts';
import { withoutSecrets } from '../../../src/trace/events/without-secrets.ts';

describe('the summary of arguments', () => {
  it('has paths, patterns, command lines, numbers and booleans', () => {
    const args = {
      ...{ path: 'src/a.ts', globs: ['**/*.ts'], regex: 'export \\w+', command: 'npm', args: ['test'] },
      ...{ limit: 3, dryRun: true },
    };
    expect(briefOf(args)).toEqual(args);
  });

  it('has only the length of contents', () => {
    const edits = [{ oldText: 'private', newText: 'public' }];
    const brief = briefOf({ path: 'a', content: 'private', edits, patch: 'private', replace: ['x', 'y'] });
    expect(brief).toEqual({
      path: 'a',
      content: { characters: 7 },
      edits: { items: 1 },
      patch: { characters: 7 },
      replace: { items: 2 },
    });
  });

  it('is short, however much was sent', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`name-${at}`, at]));
    expect(Object.keys(briefOf(many)!)).toHaveLength(20);
    const brief = briefOf({
      path: 'p'.repeat(10_000),
      paths: Array.from({ length: 5000 }, () => 'a'),
      ['n'.repeat(5000)]: 1,
    });
    expect(JSON.stringify(brief).length).toBeLessThan(500);
    expect(brief!.paths).toHaveLength(11);
    expect(brief!.path).toMatch(/p…$/);
  });

  it.each([
    ['a string', 'text'],
    ['a list', ['path']],
    ['nothing', undefined],
    ['empty', {}],
  ])('is missing if there are none: %s', (_, args) => expect(briefOf(args)).toBeUndefined());

  it('treats special names such as __proto__ like any other', () => {
    const brief = briefOf(JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'));
    expect(JSON.stringify(brief)).toBe('{"constructor":2}');
  });

  it('hides the word after an option that announces a secret', () => {
    expect(briefOf({ command: 'tool', args: ['--password', 'hunter2', 'x'] })).toEqual({
      command: 'tool',
      args: ['--password', '•••', 'x'],
    });
  });
});

describe('a secret', () => {
  it.each([
    ['curl -H "Authorization: Bearer abcdef123456" http://x', 'abcdef123456'],
    ['curl -u anna:hunter2 http://x', 'hunter2'],
    ['git clone https://anna:hunter2@host/x.git', 'hunter2'],
    ['git clone https://hunter2token@host/x.git', 'hunter2token'],
    ['PGPASSWORD=hunter2 psql', 'hunter2'],
    ['deploy --api-key hunter2 --now', 'hunter2'],
    ["deploy --secret='hun ter2' --now", 'ter2'],
    ['{"client_secret": "hunter2"}', 'hunter2'],
    [`deploy --token="hunter2 ${'x '.repeat(2000)}"`, 'hunter2'],
    ['x my-secret hunter2', 'hunter2'],
    ['echo ghp_abcdefghijklmnop1234', 'ghp_abc'],
    ['aws AKIAIOSFODNN7EXAMPLE', 'AKIAIO'],
    ['x eyJhbGciOiJIUzI1.eyJzdWIiOiIx.abc', 'eyJz'],
    ['x Jc2dV3Yx0mX1f8kq5b7tW9zR4uA6sE0hLpN2gQvTyIo', 'Jc2dV3'],
    ['echo "-----BEGIN RSA PRIVATE KEY-----\nMIIE', 'MIIE'],
  ])('is hidden in %s', (text, secret) => {
    expect(withoutSecrets(text)).not.toContain(secret);
    expect(withoutSecrets(text)).toContain('•••');
  });

  it.each([
    'grep -rn password src/',
    'git show 3f786850e387550fdab836ed7e6dc881de23001b',
    'npm test -- --run src/tokens.test.ts',
    'ls -la node_modules/@scope/package-with-quite-a-long-name',
    'curl http://localhost:8080/a@b',
  ])('is not suspected in %s', (text) => expect(withoutSecrets(text)).toBe(text));
});

describe('the reason of a failed edit', () => {
  it('does not quote what the edit looked for', () => {
    const edit = { path: 'a.txt', edit: 1, needle: 'private', mode: 'exact' } as const;
    const facts = [
      { ...edit, kind: 'no-match', near: [{ line: 1, text: 'private' }] },
      { ...edit, kind: 'not-unique', count: 2, lines: [1, 5] },
      { kind: 'bad-patch', line: 3, reason: "a hunk header is like '@@', and this one is '@@ private'" },
      { kind: 'bad-regex', pattern: 'private(', reason: 'Invalid: /private(/: unterminated' },
      { ...edit, kind: 'not-encodable', charset: 'koi8-r', character: 'private', line: 1, column: 2 },
    ] as const;
    const sentences = facts.map(sentenceWithoutContents);
    expect(sentences.join('\n')).not.toContain('private');
    expect(sentences[1]).toBe('edit 1: its text occurs 2 times in a.txt, on lines 1, 5');
  });
});
