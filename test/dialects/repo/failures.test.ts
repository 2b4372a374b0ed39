/** Every failure of the engine as an error of this dialect: a code of its table and nothing more. */
import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../../src/dialects/dialect.ts';
import { repo } from '../../../src/dialects/repo/index.ts';
import type { Failure, FailureKind } from '../../../src/engine/index.ts';
import { proves } from '../../proves.ts';

const path = 'src/missing.ts';

const samples: { [Kind in FailureKind]: Failure & { kind: Kind } } = {
  outside: { kind: 'outside', path },
  'bad-path': { kind: 'bad-path', path, why: 'too-deep' },
  'not-found': { kind: 'not-found', path, wanted: 'entry', near: [] },
  'not-a-file': { kind: 'not-a-file', path, found: 'directory' },
  'not-a-directory': { kind: 'not-a-directory', path },
  exists: { kind: 'exists', path, found: 'file' },
  'directory-not-empty': { kind: 'directory-not-empty', path },
  'is-root': { kind: 'is-root', path, action: 'delete' },
  'into-itself': { kind: 'into-itself', path, destination: 'a/b' },
  'read-only': { kind: 'read-only', path, why: 'server' },
  denied: { kind: 'denied', path },
  withheld: { kind: 'withheld', path, action: 'create' },
  permission: { kind: 'permission', path, action: 'read' },
  unstable: { kind: 'unstable', path },
  io: { kind: 'io', path, action: 'read', code: 'EIO' },
  'too-large': { kind: 'too-large', path, size: 3, limit: 2, action: 'read' },
  'not-text': { kind: 'not-text', path, why: 'not-utf8' },
  'not-encodable': { kind: 'not-encodable', path, charset: 'gbk', character: 'é', line: 1, column: 1 },
  'line-out-of-range': { kind: 'line-out-of-range', path, line: 3, lines: 2 },
  'changed-meanwhile': { kind: 'changed-meanwhile', path },
  busy: { kind: 'busy', path },
  'no-match': { kind: 'no-match', path, edit: 1, needle: 'x', mode: 'exact', near: [] },
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
  'command-not-allowed': { kind: 'command-not-allowed', command: 'sh', allowed: [] },
  'argument-not-allowed': { kind: 'argument-not-allowed', command: 'sh', argument: '-c', reason: 'x' },
  'command-not-installed': { kind: 'command-not-installed', command: 'tsc' },
  'no-sandbox': { kind: 'no-sandbox', reason: 'x' },
  'bad-arguments': { kind: 'bad-arguments', problems: [{ field: 'a', missing: true, message: 'missing a' }] },
  'no-workspace': { kind: 'no-workspace' },
  'answer-too-large': { kind: 'answer-too-large', bytes: 9, limit: 8, instead: 'Ask for less' },
  cancelled: { kind: 'cancelled' },
};

/** As the document maps them. */
const CODES: Record<string, number> = {
  file_not_found: -32001,
  directory_not_found: -32001,
  access_denied: -32002,
  file_too_large: -32003,
  binary_file: -32004,
  invalid_pattern: -32005,
  search_timeout: -32006,
  invalid_arguments: -32602,
  internal_error: -32603,
};

function told(facts: Failure, name = 'read_file') {
  const tool = repo.tools.find((each) => each.name === name)!;
  const failed = repo.failed(facts, tool, {} as ToolContext);
  if (!('error' in failed)) throw new Error('not an error of the protocol');
  return failed.error as { code: number; message: string; data: { error_code: string; path?: string } };
}

describe('every failure', () => {
  for (const facts of Object.values(samples)) {
    it(`${facts.kind}: a code of the table, a message, error_code and at most a path`, () => {
      proves('repo.error.codes', 'repo.decided.errors');
      for (const { name } of repo.tools) {
        const { code, message, data } = told(facts, name);
        expect(CODES[data.error_code]).toBe(code);
        expect(message).toMatch(/\S/);
        const { error_code: _, ...more } = data;
        if (Object.keys(more).length > 0) expect(more).toEqual({ path });
      }
    });
  }

  it('has the shape that the document shows', () => {
    proves('repo.error.format');
    expect(told(samples['not-found'])).toEqual({
      code: -32001,
      message: 'File not found: src/missing.ts',
      data: { error_code: 'file_not_found', path: 'src/missing.ts' },
    });
  });

  it('that nobody could expect is an internal error, and so is a matter of permissions', () => {
    proves('repo.error.internal_error');
    const { permission, io, unstable, cancelled, busy } = samples;
    for (const facts of [permission, io, unstable, cancelled, busy]) {
      expect(told(facts)).toMatchObject({ code: -32603, data: { error_code: 'internal_error' } });
    }
    expect(told(permission).message).toBe('Permission denied: cannot read src/missing.ts');
  });

  it('does not repeat a path or a pattern of any length in its message', () => {
    const long = 'x/'.repeat(5000);
    expect(told({ kind: 'outside', path: long }).message.length).toBeLessThan(400);
    expect(told({ kind: 'not-found', path: long, wanted: 'file', near: [] }).message.length).toBeLessThan(
      400,
    );
    expect(told({ kind: 'bad-regex', pattern: long, reason: 'x' }).message.length).toBeLessThan(400);
  });
});
