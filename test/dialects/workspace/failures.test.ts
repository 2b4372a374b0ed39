import { describe, expect, it } from 'vitest';
import type { Tool, ToolContext } from '../../../src/dialects/dialect.ts';
import { workspace } from '../../../src/dialects/workspace/index.ts';
import type { Failure, FailureKind } from '../../../src/engine/index.ts';
import { proves } from '../../proves.ts';

const path = 'a.txt';
const near = [{ line: 1, text: 'x' }];

/** One failure of every kind: a new kind breaks this list, too. */
const samples: { [Kind in FailureKind]: Failure & { kind: Kind } } = {
  outside: { kind: 'outside', path },
  'bad-path': { kind: 'bad-path', path, why: 'link-loop' },
  'not-found': { kind: 'not-found', path, wanted: 'file', near: [] },
  'not-a-file': { kind: 'not-a-file', path, found: 'special' },
  'not-a-directory': { kind: 'not-a-directory', path },
  exists: { kind: 'exists', path, found: 'symlink' },
  'directory-not-empty': { kind: 'directory-not-empty', path },
  'is-root': { kind: 'is-root', path, action: 'delete' },
  'into-itself': { kind: 'into-itself', path, destination: 'a.txt/b' },
  'read-only': { kind: 'read-only', path, why: 'server' },
  denied: { kind: 'denied', path },
  withheld: { kind: 'withheld', path, action: 'create' },
  permission: { kind: 'permission', path, action: 'read' },
  unstable: { kind: 'unstable', path },
  io: { kind: 'io', path, action: 'write', code: 'ENOSPC' },
  'too-large': { kind: 'too-large', path, size: 3, limit: 2, action: 'read' },
  'not-text': { kind: 'not-text', path, why: 'not-utf8' },
  'not-encodable': { kind: 'not-encodable', path, charset: 'gbk', character: 'é', line: 1, column: 1 },
  'line-out-of-range': { kind: 'line-out-of-range', path, line: 3, lines: 2 },
  'changed-meanwhile': { kind: 'changed-meanwhile', path },
  busy: { kind: 'busy', path },
  'no-match': { kind: 'no-match', path, edit: 1, needle: 'x', mode: 'exact', near },
  'not-unique': { kind: 'not-unique', path, edit: 1, needle: 'x', mode: 'exact', count: 2, lines: [1] },
  'unexpected-count': { kind: 'unexpected-count', path, expected: 2, count: 1 },
  'bad-group-reference': { kind: 'bad-group-reference', path, edit: 1, reference: '$2', groups: 1 },
  'bad-patch': { kind: 'bad-patch', reason: 'x', line: 1 },
  'hunk-mismatch': { kind: 'hunk-mismatch', path, hunk: 1, line: 1, expected: [], found: [], elsewhere: [] },
  overlap: { kind: 'overlap', path, first: 1, second: 2 },
  'bad-regex': { kind: 'bad-regex', pattern: '(', reason: 'x' },
  'bad-glob': { kind: 'bad-glob', pattern: '[', reason: 'x' },
  timeout: { kind: 'timeout', what: 'search', ms: 1000 },
  'no-glob-match': { kind: 'no-glob-match', pattern: '*' },
  'command-not-allowed': { kind: 'command-not-allowed', command: 'bash', allowed: ['node'] },
  'argument-not-allowed': { kind: 'argument-not-allowed', command: 'node', argument: '-e', reason: 'x' },
  'command-not-installed': { kind: 'command-not-installed', command: 'tsc' },
  'no-sandbox': { kind: 'no-sandbox', reason: 'x' },
  'bad-arguments': { kind: 'bad-arguments', problems: [{ field: 'a', missing: true, message: 'missing a' }] },
  'no-workspace': { kind: 'no-workspace' },
  'answer-too-large': { kind: 'answer-too-large', bytes: 9, limit: 8, instead: 'Ask for less' },
  cancelled: { kind: 'cancelled' },
};

const CODES = [
  'VALIDATION_ERROR',
  'INVALID_PATH',
  'NOT_FOUND',
  'NOT_FILE',
  'NOT_DIRECTORY',
  'ALREADY_EXISTS',
  'DIRECTORY_NOT_EMPTY',
  'FILE_TOO_LARGE',
  'PATTERN_NOT_FOUND',
  'EDIT_CONFLICT',
  'COMMAND_NOT_ALLOWED',
  'INTERNAL_ERROR',
];

function told(facts: Failure) {
  const answered = workspace.failed(facts, {} as Tool, {} as ToolContext);
  if (!('result' in answered)) throw new Error('an error of the protocol');
  const [item] = answered.result.content;
  if (item?.type !== 'text') throw new Error('not text');
  return { ...answered.result, envelope: JSON.parse(item.text) };
}

describe('every failure', () => {
  for (const facts of Object.values(samples)) {
    it(`${facts.kind}: a listed code, a message, details and isError`, () => {
      proves('workspace.decided.is-error', 'workspace.decided.details');
      const { envelope, isError, content, structuredContent } = told(facts);
      expect(isError).toBe(true);
      expect(content).toHaveLength(1);
      expect(structuredContent).toBeUndefined();
      expect(Object.keys(envelope)).toEqual(['ok', 'error']);
      expect(envelope.ok).toBe(false);
      expect(Object.keys(envelope.error)).toEqual(['code', 'message', 'details']);
      expect(CODES).toContain(envelope.error.code);
      expect(envelope.error.message).toMatch(/\S/);
      expect(Object.keys(envelope.error.details).length).toBeGreaterThan(0);
      expect(Array.isArray(envelope.error.details)).toBe(false);
    });
  }

  it('has the code that helps most where the reference names none', () => {
    const codes = Object.fromEntries(
      Object.values(samples).map((facts) => [facts.kind, told(facts).envelope.error.code]),
    );
    expect(codes).toMatchObject({
      'read-only': 'INVALID_PATH',
      denied: 'INVALID_PATH',
      withheld: 'INVALID_PATH',
      permission: 'INVALID_PATH',
      'into-itself': 'INVALID_PATH',
      'changed-meanwhile': 'EDIT_CONFLICT',
      'argument-not-allowed': 'COMMAND_NOT_ALLOWED',
      'no-sandbox': 'COMMAND_NOT_ALLOWED',
      'command-not-installed': 'NOT_FOUND',
      io: 'INTERNAL_ERROR',
      busy: 'INTERNAL_ERROR',
      unstable: 'INTERNAL_ERROR',
    });
  });

  it('outside tells the same whether or not something is there', () => {
    const message = (name: string) => told({ kind: 'outside', path: name }).envelope.error;
    expect(message('link/passwd').message.replace('passwd', 'X')).toBe(
      message('link/nothing').message.replace('nothing', 'X'),
    );
    expect(message('link/passwd').details).toEqual({ path: 'link/passwd', reason: 'outside' });
  });
});
