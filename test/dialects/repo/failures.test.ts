/** Every failure of the engine becomes an error of this dialect: with a code of its table and nothing more. */
import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../../src/dialects/dialect.ts';
import { repo } from '../../../src/dialects/repo/index.ts';
import type { Failure } from '../../../src/engine/index.ts';
import { proves } from '../../proves.ts';
import { everyFailure, path } from '../every-failure.ts';

/** The codes as the reference maps them. */
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
  for (const facts of Object.values(everyFailure)) {
    it(`has a code of the table, a message, error_code and at most a path: ${facts.kind}`, () => {
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

  it('has the shape that the reference shows', () => {
    proves('repo.error.format');
    expect(told(everyFailure['not-found'])).toEqual({
      code: -32001,
      message: 'File not found: a.txt',
      data: { error_code: 'file_not_found', path: 'a.txt' },
    });
  });

  it('is an internal error if it is unexpected or about permissions', () => {
    proves('repo.error.internal_error');
    const { permission, io, unstable, cancelled, busy } = everyFailure;
    for (const facts of [permission, io, unstable, cancelled, busy]) {
      expect(told(facts)).toMatchObject({ code: -32603, data: { error_code: 'internal_error' } });
    }
    expect(told(permission).message).toBe('Permission denied: cannot read a.txt');
  });

  it('truncates a long path or pattern in its message', () => {
    const long = 'x/'.repeat(5000);
    expect(told({ kind: 'outside', path: long }).message.length).toBeLessThan(400);
    expect(told({ kind: 'not-found', path: long, wanted: 'file', near: [] }).message.length).toBeLessThan(
      400,
    );
    expect(told({ kind: 'bad-regex', pattern: long, reason: 'x' }).message.length).toBeLessThan(400);
  });
});
