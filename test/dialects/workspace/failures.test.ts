import { describe, expect, it } from 'vitest';
import type { Tool, ToolContext } from '../../../src/dialects/dialect.ts';
import { workspace } from '../../../src/dialects/workspace/index.ts';
import type { Failure } from '../../../src/engine/index.ts';
import { proves } from '../../proves.ts';
import { everyFailure } from '../every-failure.ts';

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
  for (const facts of Object.values(everyFailure)) {
    it(`has a listed code, a message, details and isError: ${facts.kind}`, () => {
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
      Object.values(everyFailure).map((facts) => [facts.kind, told(facts).envelope.error.code]),
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

  it('says the same about a path outside, whether or not something is there', () => {
    const message = (name: string) => told({ kind: 'outside', path: name }).envelope.error;
    expect(message('link/passwd').message.replace('passwd', 'X')).toBe(
      message('link/nothing').message.replace('nothing', 'X'),
    );
    expect(message('link/passwd').details).toEqual({ path: 'link/passwd', reason: 'outside' });
  });
});
