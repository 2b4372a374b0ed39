/** The sessions of the page: not too many, not too long. */
import { describe, expect, it } from 'vitest';
import { cookieOf, PageSessions } from '../../../src/server/page/page-sessions.ts';
import { fullGrant } from '../../../src/server/web/tokens.ts';

const HOUR = 3_600_000;
const grant = fullGrant('one', 'one');

describe('a session', () => {
  it('ends after hours without use, and after a day in any case', () => {
    const sessions = new PageSessions();
    const id = sessions.open(grant, 0);
    expect(sessions.find(id, 3 * HOUR)).toBeDefined();
    expect(sessions.find(id, 6 * HOUR)).toBeDefined();
    expect(sessions.find(id, 10 * HOUR)).toBeUndefined();
    const used = sessions.open(grant, 0);
    for (let hour = 1; hour < 24; hour++) expect(sessions.find(used, hour * HOUR)).toBeDefined();
    expect(sessions.find(used, 24 * HOUR)).toBeUndefined();
    expect(sessions.size).toBe(0);
  });

  it('makes room when its token opens too many, and never takes that of another token first', () => {
    const sessions = new PageSessions();
    const other = sessions.open(fullGrant('two', 'two'), 0);
    const first = sessions.open(grant, 1);
    for (let count = 0; count < 100; count++) sessions.open(grant, 2);
    expect(sessions.find(first, 3)).toBeUndefined();
    expect(sessions.find(other, 3)).toBeDefined();
    expect(sessions.size).toBe(33);
    for (let count = 0; count < 1000; count++) sessions.open(fullGrant(`t${count}`, `t${count}`), 4);
    expect(sessions.size).toBe(256);
  });

  it('is found by its own cookie among others', () => {
    expect(cookieOf('a=1; page=x=y; b=2', 'page')).toBe('x=y');
    expect(cookieOf('xpage=1', 'page')).toBeUndefined();
    expect(cookieOf(undefined, 'page')).toBeUndefined();
  });
});
