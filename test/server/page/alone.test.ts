/** The page without an MCP server: only on this machine, and protected by its own token. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPageServer } from '../../../src/server/page-server.ts';
import type { WebServer } from '../../../src/server/web/web-server.ts';
import { ask } from '../http-fixture.ts';
import { type StandIn, standIn } from './stand-in.ts';

let sources: StandIn;
let serving: WebServer;
const log: string[] = [];
beforeEach(async () => {
  sources = standIn();
  serving = await openPageServer({ sources, version: '1', log: (line) => log.push(line) });
});
afterEach(() => serving.stop());

const token = () => decodeURIComponent(new URL(serving.url).hash.replace('#token=', ''));
const send = (path: string, headers: Record<string, string> = {}) =>
  ask({ port: serving.port, path, headers });

it('serves the page, and the events of all servers to a client with the token in its URL', async () => {
  expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
  expect((await send('/')).text).toContain('<script type="module" src="/page.js">');
  sources.events.add({ roots: ['/one'] }, { roots: ['/two'], who: 'somebody' });
  expect((await send('/page/events')).status).toBe(401);
  const answer = await send('/page/events', { authorization: `Bearer ${token()}` });
  expect(answer.text.trim().split('\n')).toHaveLength(2);
  const about = await send('/page/about', { authorization: `Bearer ${token()}` });
  expect(about.json).toEqual({ version: '1', roots: [], who: 'owner', mayUndo: true });
});

it('makes a new token each time, or uses the given one', async () => {
  const other = await openPageServer({ sources, version: '1', log: () => {}, token: 'a token/of mine' });
  expect(new URL(other.url).hash).toBe('#token=a%20token%2Fof%20mine');
  await other.stop();
  const another = await openPageServer({ sources, version: '1', log: () => {} });
  expect(another.url.split('#')[1]).not.toBe(serving.url.split('#')[1]);
  await another.stop();
});

it('serves nothing else, and no client from another origin', async () => {
  expect((await send('/mcp', { authorization: `Bearer ${token()}` })).status).toBe(404);
  expect((await send('/', { host: 'evil.example' })).status).toBe(403);
  expect((await send('/page/about', { origin: 'http://evil.example' })).status).toBe(403);
});

it('closes open streams when it stops', async () => {
  const open = send('/page/live', { authorization: `Bearer ${token()}` });
  while (sources.events.followers === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await serving.stop();
  expect((await open).text).toContain('data: []');
  expect(sources.events.followers).toBe(0);
  await serving.done;
});

it('tells the operator what went wrong, but not the client', async () => {
  sources.events.recent = () => Promise.reject(new Error('the disk is on fire'));
  const answer = await send('/page/events', { authorization: `Bearer ${token()}` });
  expect([answer.status, answer.text.includes('fire')]).toEqual([500, false]);
  expect(log.join()).toContain('the disk is on fire');
});
