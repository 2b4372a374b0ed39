/** What a failure says to users of the library: the kind, and its facts in a sentence. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Engine, EngineFailure, type Failure } from '../../src/engine/index.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
let engine: Engine;
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'a.txt': 'one\ntwo\none\n', 'dir/b.txt': 'b', 'bin.dat': { base64: 'AP8=' } });
  engine = new Engine({ roots: [{ path: directory.path, writable: true }] });
});
afterEach(async () => {
  await engine.close();
  directory.remove();
});

it.each<[string, () => Promise<unknown>, string]>([
  ['a missing file', () => engine.files.read('notes.txt'), 'not-found: notes.txt does not exist'],
  ['a way out', () => engine.files.read('../x'), 'outside: ../x is outside the directories'],
  ['a directory', () => engine.files.read('dir'), 'not-a-file: dir is a directory, not a file'],
  ['no text', () => engine.files.append('bin.dat', 'x'), 'not-text: bin.dat is not text: it '],
  [
    'a root',
    () => engine.files.remove('.'),
    'is-root: . is one of the given directories, which cannot be deleted',
  ],
  [
    'what hides files',
    () => engine.files.write('.cofferdamignore', 'a.txt'),
    'read-only: .cofferdamignore cannot be changed: it says which files are hidden',
  ],
  [
    'a full directory',
    () => engine.files.remove('dir'),
    'directory-not-empty: dir is a directory that is not empty',
  ],
  [
    'what is there',
    () => engine.files.move('a.txt', 'dir/b.txt'),
    'exists: dir/b.txt already exists: a file',
  ],
])('%s', async (_, act, says) => {
  const error = await act().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EngineFailure);
  expect((error as EngineFailure).message).toContain(says);
  expect((error as EngineFailure).message).toBe(new EngineFailure((error as EngineFailure).facts).message);
});

it('has a sentence for every kind, and no JSON of its facts', () => {
  const every: Failure[] = [
    { kind: 'no-match', path: 'a', edit: 1, needle: 'x'.repeat(500), mode: 'exact', near: [] },
    { kind: 'bad-path', path: 'a\0', why: 'nul' },
    { kind: 'not-a-directory', path: 'a' },
    { kind: 'into-itself', path: 'a', destination: 'a/b' },
    { kind: 'read-only', path: 'a', why: 'server' },
    { kind: 'permission', path: 'a', action: 'read' },
    { kind: 'unstable', path: 'a' },
    { kind: 'io', path: 'a', action: 'write', code: 'ENOSPC' },
    { kind: 'too-large', path: 'a', size: 2, limit: 1, action: 'read' },
    { kind: 'not-encodable', path: 'a', charset: 'gbk', character: 'é', line: 1, column: 2 },
    { kind: 'line-out-of-range', path: 'a', line: 9, lines: 3 },
    { kind: 'changed-meanwhile', path: 'a' },
    { kind: 'busy', path: 'a' },
    { kind: 'not-unique', path: 'a', edit: 1, needle: 'x', mode: 'exact', count: 2, lines: [1, 3] },
    { kind: 'unexpected-count', path: 'a', expected: 1, count: 2 },
    { kind: 'bad-group-reference', path: 'a', edit: 1, reference: '$2', groups: 1 },
    { kind: 'bad-patch', reason: 'no hunk', line: 1 },
    { kind: 'hunk-mismatch', path: 'a', hunk: 1, line: 1, expected: [], found: [], elsewhere: [] },
    { kind: 'overlap', path: 'a', first: 1, second: 2 },
    { kind: 'bad-regex', pattern: '(', reason: 'unterminated group' },
    { kind: 'bad-glob', pattern: '[', reason: 'unterminated class' },
    { kind: 'timeout', what: 'regex', ms: 5 },
    { kind: 'no-glob-match', pattern: '*.x' },
    { kind: 'command-not-allowed', command: 'rm', allowed: ['ls'] },
    { kind: 'argument-not-allowed', command: 'ls', argument: '-x', reason: 'it writes' },
    { kind: 'command-not-installed', command: 'rg' },
    { kind: 'no-sandbox', reason: 'there is no bubblewrap' },
    { kind: 'bad-arguments', problems: [{ field: 'a', missing: true, message: 'a is missing' }] },
    { kind: 'answer-too-large', bytes: 2, limit: 1, instead: 'ask for a part' },
    { kind: 'no-workspace' },
    { kind: 'cancelled' },
  ];
  for (const facts of every) {
    const { message } = new EngineFailure(facts);
    expect(message).toMatch(new RegExp(`^${facts.kind}: .*\\w`));
    expect(message).not.toContain('{"kind"');
    expect(message.length).toBeLessThan(200);
  }
});
