/** The sessions of the page: they are limited in number and in time. */
import { describe, expect, it } from 'vitest';
import { ownSessions } from '../../../src/server/http/sessions/own-sessions.ts';
import { cookieOf, PageSessions } from '../../../src/server/page/page-sessions.ts';
import { fullGrant } from '../../../src/server/web/tokens/tokens.ts';

const HOUR = 3_600_000;
const grant = fullGrant('one', 'one');

describe('a session', () => {
  it('ends after hours without use, and after a day in any case', async () => {
    const sessions = new PageSessions(ownSessions(), () => [grant]);
    const id = await sessions.open(grant, 0);
    expect(await sessions.find(id, 3 * HOUR)).toBeDefined();
    expect(await sessions.find(id, 6 * HOUR)).toBeDefined();
    expect(await sessions.find(id, 10 * HOUR)).toBeUndefined();
    const used = await sessions.open(grant, 0);
    for (let hour = 1; hour < 24; hour++) expect(await sessions.find(used, hour * HOUR)).toBeDefined();
    expect(await sessions.find(used, 24 * HOUR)).toBeUndefined();
    expect(sessions.size).toBe(0);
  });

  it('makes room when its token opens too many, and is not ended first for another token', async () => {
    const sessions = new PageSessions(ownSessions(), () => [grant]);
    const other = await sessions.open(fullGrant('two', 'two'), 0);
    const first = await sessions.open(grant, 1);
    for (let count = 0; count < 100; count++) await sessions.open(grant, 2);
    expect(await sessions.find(first, 3)).toBeUndefined();
    expect(await sessions.find(other, 3)).toBeDefined();
    expect(sessions.size).toBe(33);
    for (let count = 0; count < 1000; count++) await sessions.open(fullGrant(`t${count}`, `t${count}`), 4);
    expect(sessions.size).toBe(256);
  });

  it('is found at another server with the same token, until one of the servers ends it', async () => {
    const store = ownSessions();
    const [one, two, other] = [grant, grant, fullGrant('other', 'one')].map(
      (each) => new PageSessions(store, () => [each]),
    );
    const id = await one!.open(grant, Date.now());
    expect((await two!.find(id, Date.now()))?.grant).toBe(grant);
    expect(await other!.find(id, Date.now())).toBeUndefined();
    expect(await two!.find(`${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`, Date.now())).toBeUndefined();
    await two!.end(id);
    expect(await one!.find(id, Date.now())).toBeUndefined();
  });

  it('is found by its own cookie among others', () => {
    expect(cookieOf('a=1; page=x=y; b=2', 'page')).toBe('x=y');
    expect(cookieOf('xpage=1', 'page')).toBeUndefined();
    expect(cookieOf(undefined, 'page')).toBeUndefined();
  });
});
