/** The server side of the Tool Trace page: who gets in, what a token sees, and that no event is lost or repeated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fullGrant, parseTokens } from '../../../src/server/web/tokens/tokens.ts';
import type { TraceEvent } from '../../../src/trace/events/event.ts';
import { certificate, privateKey } from '../http-certificate.ts';
import { type Answer, HttpFixture, RawConnection, TOKEN } from '../http-fixture.ts';
import { type StandIn, standIn } from './stand-in.ts';

const OTHERS = `
ci      token-of-the-read-only-one  read-only
agent   token-of-the-agent-alone    read-write replay
`;
const grants = [fullGrant(TOKEN), ...parseTokens(OTHERS, ['replay', 'stage']).grants];
const bearer = (token = TOKEN) => ({ authorization: `Bearer ${token}` });
const AGENT = bearer('token-of-the-agent-alone');
const CI = bearer('token-of-the-read-only-one');

let fixture: HttpFixture;
let sources: StandIn;
beforeEach(async () => {
  sources = standIn();
  fixture = await HttpFixture.open({ page: sources, grants }, { 'a.txt': 'one\ntwo\n', 'sub/b.txt': 'b\n' });
});
afterEach(() => fixture.close());

const fetchPage = (path: string, headers: Record<string, string> = bearer()) =>
  fixture.send({ path, headers });
const origin = () => `http://127.0.0.1:${fixture.serving.port}`;
const host = () => `127.0.0.1:${fixture.serving.port}`;

async function cookie(headers: Record<string, string> = bearer()): Promise<string> {
  const answer = await fixture.send({ method: 'POST', path: '/page/session', headers });
  expect(answer.status).toBe(204);
  return answer.headers['set-cookie']![0]!.split(';')[0]!;
}

const add = (...events: Partial<TraceEvent>[]) =>
  sources.events.add(...events.map((event) => ({ roots: [fixture.root], ...event })));

const listed = (answer: Answer): string[] =>
  answer.text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as TraceEvent).id]));

/** A live stream, read as it arrives. */
async function live(after: string | undefined, headers: Record<string, string> = bearer()) {
  const received: { id?: string; event?: string; data: TraceEvent[] }[] = [];
  const path = after === undefined ? '/page/live' : `/page/live?after=${encodeURIComponent(after)}`;
  let ended = false;
  let rest = '';
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    get({ host: '127.0.0.1', port: fixture.serving.port, path, headers, agent: false }, resolve).once(
      'error',
      reject,
    );
  });
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      if (part.startsWith(':')) continue;
      const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: (.*)/s, 2)));
      received.push({ ...fields, data: JSON.parse(fields.data) });
    }
  });
  response.once('close', () => {
    ended = true;
  });
  response.on('error', () => {});
  return {
    response,
    received,
    ids: () => received.flatMap(({ data }) => (Array.isArray(data) ? data.map(({ id }) => id) : [])),
    cursor: () => received.findLast(({ id }) => id !== undefined)?.id,
    has: async (count: number) => {
      while (received.flatMap(({ data }) => data).length < count) await pause(5);
    },
    opened: async () => {
      while (received.length === 0 && !ended) await pause(5);
    },
    ended: async () => {
      while (!ended) await pause(5);
    },
  };
}

describe('the files of the page', () => {
  it.each([
    ['/', 'text/html'],
    ['/page.js', 'text/javascript'],
    ['/page.css', 'text/css'],
    ['/icon.svg', 'image/svg+xml'],
  ])('include %s, which needs no token and has a strict policy', async (path, type) => {
    const answer = await fixture.send({ path });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain(type);
    expect(answer.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
    const again = await fixture.send({ path, headers: { 'if-none-match': String(answer.headers.etag) } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await fixture.send({ path, method: 'POST' })).status).toBe(405);
    expect((await fixture.send({ path, headers: { host: 'evil.example' } })).status).toBe(403);
  });

  it('refer to nothing outside and contain no inline code', async () => {
    const { text } = await fixture.send({ path: '/' });
    expect(text).not.toMatch(/https?:\/\//);
    expect(text).not.toMatch(/<style|style=|\son\w+=|javascript:/i);
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/page.js">']);
    const style = await fixture.send({ path: '/page.css' });
    expect(style.text).not.toMatch(/https?:|@import|url\(/);
  });

  it('are not served if nothing is traced', async () => {
    const plain = await HttpFixture.open();
    expect((await plain.send({ path: '/', headers: bearer() })).status).toBe(404);
    expect((await plain.send({ path: '/page/about', headers: bearer() })).status).toBe(404);
    await plain.close();
  });
});

describe('signing in', () => {
  it('needs a token or a cookie', async () => {
    for (const path of ['/page/about', '/page/events', '/page/live', '/page/entries/e1', '/page/nothing']) {
      expect((await fetchPage(path, {})).status).toBe(401);
      expect((await fetchPage(path, bearer('wrong'))).status).toBe(401);
    }
    const about = await fetchPage('/page/about');
    expect(JSON.parse(about.text)).toEqual({
      version: '0',
      roots: [fixture.root],
      who: 'owner',
      mayUndo: true,
    });
    expect((await fetchPage('/page/nothing')).status).toBe(404);
    expect((await fetchPage('/page/about?token=the-token-of-this-test-suite', {})).status).toBe(401);
  });

  it('exchanges the token for a cookie that scripts cannot read and that opens only the page', async () => {
    const answer = await fixture.send({ method: 'POST', path: '/page/session', headers: bearer() });
    const set = answer.headers['set-cookie']![0]!;
    expect(set).toMatch(/^cofferdam-page-\d+=[\w.-]{43,}; Path=\/page; HttpOnly; SameSite=Strict$/);
    const held = { cookie: `other=1; ${set.split(';')[0]}` };
    expect((await fetchPage('/page/about', held)).status).toBe(200);
    expect((await fixture.send({ method: 'POST', path: '/mcp', headers: held })).status).toBe(401);
    const again = await fixture.send({
      method: 'POST',
      path: '/page/session',
      headers: { ...held, origin: origin(), host: host() },
    });
    expect(again.status).toBe(401);
    const wrong = await fixture.send({ method: 'POST', path: '/page/session', headers: bearer('wrong') });
    expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('restricts the cookie to TLS if there is TLS', async () => {
    const secured = await HttpFixture.open({
      page: sources,
      tls: { cert: Buffer.from(certificate), key: Buffer.from(privateKey) },
    });
    const set = await new Promise<string[] | undefined>((resolve, reject) => {
      const options = {
        port: secured.serving.port,
        path: '/page/session',
        method: 'POST',
        headers: bearer(),
        agent: false,
      };
      tlsRequest({ host: '127.0.0.1', ca: certificate, ...options }, (response) => {
        response.resume();
        resolve(response.headers['set-cookie']);
      })
        .once('error', reject)
        .end();
    });
    expect(set![0]).toMatch(/; SameSite=Strict; Secure$/);
    await secured.close();
  });

  it('delays wrong tokens, as everywhere', async () => {
    const started = Date.now();
    for (let count = 0; count < 8; count++) {
      const answer = await fixture.send({ method: 'POST', path: '/page/session', headers: bearer('wrong') });
      expect(answer.status).toBe(401);
    }
    expect(Date.now() - started).toBeGreaterThan(500);
    expect((await fetchPage('/page/about')).status).toBe(200);
  });

  it('does not accept the cookie from another page, not even from another port of this machine', async () => {
    const held = { cookie: await cookie() };
    for (const site of ['same-site', 'cross-site', 'none'])
      expect((await fetchPage('/page/about', { ...held, 'sec-fetch-site': site })).status).toBe(403);
    expect((await fetchPage('/page/about', { ...held, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await fetchPage('/page/about', { ...held, origin: 'http://127.0.0.1:1' })).status).toBe(403);
  });

  it('ends with DELETE, which also closes open streams', async () => {
    const held = { cookie: await cookie(), host: host() };
    const stream = await live(undefined, held);
    await stream.opened();
    const without = await fixture.send({ method: 'DELETE', path: '/page/session', headers: held });
    expect(without.status).toBe(403);
    const answer = await fixture.send({
      method: 'DELETE',
      path: '/page/session',
      headers: { ...held, origin: origin() },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers['set-cookie']![0]).toContain('Max-Age=0');
    await stream.ended();
    expect((await fetchPage('/page/about', held)).status).toBe(401);
  });

  it('ends when the token is withdrawn', async () => {
    const [agent, owner] = [{ cookie: await cookie(AGENT) }, { cookie: await cookie() }];
    const stream = await live(undefined, agent);
    await stream.opened();
    fixture.serving.replaceTokens(grants.filter(({ name }) => name !== 'agent'));
    await stream.ended();
    expect((await fetchPage('/page/about', agent)).status).toBe(401);
    expect((await fetchPage('/page/about', owner)).status).toBe(200);
  });

  it('names the allowed methods', async () => {
    const answer = await fixture.send({ method: 'PUT', path: '/page/session', headers: bearer() });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, DELETE']);
    expect(
      (await fixture.send({ method: 'GET', path: '/page/entries/e1/undo', headers: bearer() })).status,
    ).toBe(405);
  });
});

describe('what a token sees', () => {
  it('is everything if the token is unlimited, and otherwise its own calls', async () => {
    const [mine, theirs, nobodys] = add({ who: 'agent' }, { who: 'ci' }, {});
    expect(listed(await fetchPage('/page/events'))).toEqual([mine!.id, theirs!.id, nobodys!.id]);
    expect(listed(await fetchPage('/page/events', AGENT))).toEqual([mine!.id]);
    expect(listed(await fetchPage('/page/events', CI))).toEqual([theirs!.id]);
    const stream = await live(undefined, AGENT);
    await stream.opened();
    const [, second] = add({ who: 'ci' }, { who: 'agent' }, {});
    await stream.has(1);
    expect(stream.ids()).toEqual([second!.id]);
    expect((await fetchPage(`/page/events/${theirs!.id}`, AGENT)).status).toBe(404);
    expect((await fetchPage(`/page/events/${mine!.id}`, AGENT)).status).toBe(200);
    stream.response.destroy();
  });

  it('includes only calls in the served directories', async () => {
    const within = add({}, { roots: [join(fixture.root, 'sub')] }).map(({ id }) => id);
    sources.events.add({ roots: ['/elsewhere'] }, { roots: [fixture.root, '/elsewhere'] }, { roots: [] });
    sources.events.add({ roots: [`${fixture.root}-beside`] });
    expect(listed(await fetchPage('/page/events'))).toEqual(within);
  });

  it('leaves out arguments and answers until the page asks for them', async () => {
    const [event] = add({ arguments: '{"path":"a"}', answer: 'secret text' });
    const list = await fetchPage('/page/events');
    expect(list.text).not.toContain('secret');
    expect(JSON.parse(list.text)).toMatchObject({ id: event!.id, contents: true });
    const one = await fetchPage(`/page/events/${event!.id}`);
    expect(JSON.parse(one.text)).toMatchObject({ answer: 'secret text' });
    expect((await fetchPage('/page/events/..%2f..%2fetc')).status).toBe(404);
  });
});

describe('between the list and the live stream', () => {
  it('no event is lost or repeated', async () => {
    add({}, {});
    const list = await fetchPage('/page/events');
    const cursor = String(list.headers['page-cursor']);
    const [third] = add({});
    const stream = await live(cursor);
    const [fourth] = add({});
    await stream.has(2);
    expect(stream.ids()).toEqual([third!.id, fourth!.id]);
    stream.response.destroy();
    const [fifth] = add({});
    const next = await live(stream.cursor());
    await next.has(1);
    expect(next.ids()).toEqual([fifth!.id]);
    next.response.destroy();
  });

  it.each([
    ['empty', ''],
    ['not a cursor', 'x'],
    ['of another feed', 'other.0'],
    ['a path', '../../etc'],
    ['very long', 'a'.repeat(3000)],
  ])('a cursor that is %s makes the page start again', async (_, cursor) => {
    const stream = await live(cursor);
    await stream.ended();
    expect(stream.received.map(({ event }) => event)).toEqual(['reset']);
  });

  it('a cursor that is too old, or in the future, makes the page start again', async () => {
    const first = String((await fetchPage('/page/events')).headers['page-cursor']);
    for (let count = 0; count < 25; count++) add(...Array<object>(1000).fill({}));
    const late = await live(first);
    await late.ended();
    expect(late.received.map(({ event }) => event)).toEqual(['reset']);
    const early = await live(first.replace(/\.\d+$/, '.999999'));
    await early.ended();
    expect(early.received.map(({ event }) => event)).toEqual(['reset']);
  });

  it('many events reach a reader in order and in pieces', async () => {
    const cursor = String((await fetchPage('/page/events')).headers['page-cursor']);
    const sent = add(...Array<object>(5000).fill({}));
    const stream = await live(cursor);
    await stream.has(5000);
    expect(stream.ids()).toEqual(sent.map(({ id }) => id));
    stream.response.destroy();
  });

  it('a page that does not read uses no memory, and is disconnected when it is too far behind', async () => {
    const raw = await RawConnection.open(fixture.serving.port);
    raw.socket.write(`GET /page/live HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    await raw.until(/data: \[\]/);
    raw.socket.pause();
    const before = process.memoryUsage().rss;
    const note = 'x'.repeat(4000);
    for (let count = 0; count < 25 && !raw.socket.closed; count++) {
      sources.events.all.length = 0;
      add(...Array<object>(500).fill({ note }));
      await pause(1);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    raw.socket.resume();
    await raw.closed();
  });

  it('the feed stops following the log when the server stops', async () => {
    const stream = await live(undefined);
    await stream.opened();
    expect(sources.events.followers).toBe(1);
    await fixture.serving.stop();
    await stream.ended();
    expect(sources.events.followers).toBe(0);
  });
});

describe('a large list', () => {
  it('arrives whole, or with the newest events if there are too many', async () => {
    sources.events.all.push(
      ...Array.from({ length: 100_500 }, (_, index) => ({
        ...sources.events.add({ roots: [fixture.root] })[0]!,
        id: `n-${index}`,
      })),
    );
    const ids = listed(await fetchPage('/page/events'));
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([100_000, 'n-500', 'n-100499']);
  });

  it('is refused while too many are being sent, and served again after that', async () => {
    add(...Array<object>(20_000).fill({ note: 'x'.repeat(500) }));
    const open: RawConnection[] = [];
    for (const _ of [1, 2]) {
      const raw = await RawConnection.open(fixture.serving.port);
      raw.socket.write(
        `GET /page/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
      );
      await raw.until(/Page-Cursor/);
      raw.socket.pause();
      open.push(raw);
    }
    const refused = await fetchPage('/page/events');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect((await fetchPage('/page/events', AGENT)).status).toBe(200);
    for (const { socket } of open) socket.destroy();
    let status = 429;
    while (status === 429) status = (await fetchPage('/page/events')).status;
    expect(status).toBe(200);
  });
});

it('limits concurrent searches for one event: a few for one token, and two for all tokens', async () => {
  const [event] = add({});
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let looking = 0;
  let most = 0;
  const recent = sources.events.recent.bind(sources.events);
  sources.events.recent = async (limit, filter) => {
    looking += 1;
    most = Math.max(most, looking);
    await held;
    looking -= 1;
    return recent(limit, filter);
  };
  const waiting = Array.from({ length: 12 }, () => fetchPage(`/page/events/${event!.id}`));
  const refused: Answer[] = [];
  for (const answer of waiting) void answer.then((one) => one.status === 429 && refused.push(one));
  while (refused.length < 4) await pause(5);
  expect(refused[0]!.headers['retry-after']).toBe('1');
  goOn();
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(8);
  expect(most).toBe(2);
  expect((await fetchPage('/page/events/nope-1')).status).toBe(404);
});

describe('an entry', () => {
  const file = () => join(fixture.root, 'a.txt');
  const change = (id: string, who?: string, text = 'one\nTWO\n') =>
    sources.history.change(file(), text, {
      id,
      roots: [fixture.root],
      origin: who === undefined ? {} : { who },
    });
  const undo = (id: string, headers: Record<string, string>, body = '{"force":false}') =>
    fixture.send({
      method: 'POST',
      path: `/page/entries/${id}/undo`,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

  it('shows what it changed and what undoing would do, and can be undone', async () => {
    change('e1');
    const details = JSON.parse((await fetchPage('/page/entries/e1')).text);
    expect(details).toMatchObject({ entry: { id: 'e1', state: 'done' }, mayUndo: true });
    expect(details.diffs[0].text).toContain('-two\n+TWO\n');
    expect(details.plan.steps).toEqual([{ path: file(), does: 'restore' }]);
    expect(details.plan.diffs[0].text).toContain('-TWO\n+two\n');
    const answer = await undo('e1', bearer());
    expect(JSON.parse(answer.text)).toMatchObject({ done: true, entry: { id: 'e1', state: 'undone' } });
    expect(readFileSync(file(), 'utf8')).toBe('one\ntwo\n');
    expect(sources.history.undone).toEqual([{ id: 'e1', force: false, who: 'owner' }]);
    expect((await undo('e1', bearer())).status).toBe(409);
    expect(JSON.parse((await fetchPage('/page/entries/e1')).text)).not.toHaveProperty('plan');
  });

  it('is not undone over later changes, unless that is forced', async () => {
    change('e1');
    writeFileSync(file(), 'one\nTWO\nthree\n');
    const { obstacles } = JSON.parse((await fetchPage('/page/entries/e1')).text).plan;
    expect(obstacles).toMatchObject([{ path: file(), why: 'It was changed since.', forceable: true }]);
    expect(JSON.parse((await undo('e1', bearer())).text)).toMatchObject({
      done: false,
      obstacles: [{ forceable: true }],
    });
    expect(readFileSync(file(), 'utf8')).toBe('one\nTWO\nthree\n');
    expect(JSON.parse((await undo('e1', bearer(), '{"force":true}')).text)).toMatchObject({ done: true });
    expect(readFileSync(file(), 'utf8')).toBe('one\ntwo\n');
  });

  it('is undone with the cookie only by the page itself', async () => {
    change('e1');
    const held = { cookie: await cookie(), host: host() };
    expect((await undo('e1', held)).status).toBe(403);
    expect((await undo('e1', { ...held, origin: 'http://evil.example' })).status).toBe(403);
    expect((await undo('e1', { ...held, origin: origin(), 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await undo('e1', { ...bearer(), 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(sources.history.undone).toEqual([]);
    expect((await undo('e1', { ...held, origin: origin(), 'sec-fetch-site': 'same-origin' })).status).toBe(
      200,
    );
  });

  it('belongs to the token that made it, and a read-only token undoes nothing', async () => {
    change('mine', 'agent');
    expect((await fetchPage('/page/entries/mine', CI)).status).toBe(404);
    expect((await undo('mine', CI)).status).toBe(404);
    expect((await undo('mine', AGENT)).status).toBe(200);
    change('read', 'ci');
    expect(JSON.parse((await fetchPage('/page/entries/read', CI)).text).mayUndo).toBe(false);
    expect((await undo('read', CI)).status).toBe(403);
    change('owners');
    expect((await undo('owners', AGENT)).status).toBe(404);
    expect(sources.history.undone.map(({ id, who }) => [id, who])).toEqual([['mine', 'agent']]);
  });

  it('is shown only if it is in the served directories', async () => {
    sources.history.change(file(), 'x', { id: 'outside', roots: ['/elsewhere'] });
    expect((await fetchPage('/page/entries/outside')).status).toBe(404);
    expect((await undo('outside', bearer())).status).toBe(404);
  });

  it('needs a valid id, and a body that says whether to force', async () => {
    change('e1');
    for (const id of ['..', '.', '%2e%2e', 'a%2fb', '-x', 'x'.repeat(200), 'e1%00'])
      expect((await fetchPage(`/page/entries/${id}`)).status).toBe(404);
    expect((await undo('e1', bearer(), 'force')).status).toBe(400);
    expect((await undo('e1', bearer(), '{"force":"yes"}')).status).toBe(400);
    expect((await undo('e1', bearer(), 'null')).status).toBe(400);
    expect((await undo('e1', bearer(), `{"force":true,"x":"${'x'.repeat(5000)}"}`)).status).toBe(413);
    expect((await undo('e1', { ...bearer(), 'content-type': 'text/plain' })).status).toBe(415);
    expect(sources.history.undone).toEqual([]);
  });

  it('is clipped if its diff is too long, and says so', async () => {
    change('large', undefined, 'a line that is long enough\n'.repeat(50_000));
    const { diffs } = JSON.parse((await fetchPage('/page/entries/large')).text);
    expect(diffs[0].text.length).toBeLessThanOrEqual(512 * 1024);
    expect(diffs[0].text.endsWith('\n')).toBe(true);
    expect(diffs[0].note).toContain('too long');
  });

  it('can be requested by one token only a few times at once', async () => {
    change('e1');
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const diff = sources.history.diff.bind(sources.history);
    sources.history.diff = (id) => held.then(() => diff(id));
    const waiting = Array.from({ length: 12 }, () => fetchPage('/page/entries/e1'));
    const refused: Answer[] = [];
    for (const answer of waiting) void answer.then((one) => one.status === 429 && refused.push(one));
    while (refused.length < 4) await pause(5);
    expect(refused[0]!.headers['retry-after']).toBe('1');
    goOn();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
    expect((await fetchPage('/page/entries/e1')).status).toBe(200);
  });
});

describe('a server that may only read', () => {
  it('undoes nothing from the page', async () => {
    const { Engine } = await import('../../../src/engine/index.ts');
    const { Visibility } = await import('../../../src/server/page/visibility.ts');
    const engine = new Engine({ roots: [{ path: fixture.root, writable: true }], readOnly: true });
    const visibility = new Visibility(engine.roots);
    expect(visibility.mayUndoAnything(grants[0]!)).toBe(false);
    expect(visibility.mayUndo(grants[0]!, { roots: [fixture.root], origin: {} })).toBe(false);
    expect(visibility.maySee(grants[0]!, { roots: [fixture.root], origin: {} })).toBe(true);
    const mixed = new Visibility([
      { path: fixture.root, writable: true },
      { path: join(fixture.root, 'sub'), writable: false },
    ]);
    expect(mixed.mayUndo(grants[0]!, { roots: [fixture.root], origin: {} })).toBe(true);
    expect(mixed.mayUndo(grants[0]!, { roots: [join(fixture.root, 'sub/deeper')], origin: {} })).toBe(false);
    await engine.close();
  });
});
