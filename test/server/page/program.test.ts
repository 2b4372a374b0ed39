/** The page of the real program: real calls, the real trace and journal, and an undo that changes the disk. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EntryDetails, PageEvent } from '../../../src/page/wire.ts';
import { RawClient } from '../../client.ts';
import { type Answer, ask } from '../http-fixture.ts';
import { callOver, ProgramFixture, TOKEN } from './program-fixture.ts';

let fixture: ProgramFixture;
let clients: RawClient[];
beforeEach(() => {
  fixture = new ProgramFixture({ 'src/a.ts': 'one\ntwo\n' });
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await fixture.end();
});

async function events(port: number, token: string): Promise<PageEvent[]> {
  const answer = await get(port, '/page/events', token);
  expect(answer.status).toBe(200);
  return answer.text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as PageEvent]));
}

const get = (port: number, path: string, token: string) =>
  ask({ port, path, headers: { authorization: `Bearer ${token}` } });

const undo = (port: number, id: string, token: string): Promise<Answer> =>
  ask({
    port,
    path: `/page/entries/${id}/undo`,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"force":false}',
  });

async function seesAndUndoes(port: number, token: string, tool: string): Promise<void> {
  const all = await events(port, token);
  const event = all.find((one) => one.tool === tool)!;
  expect(event).toMatchObject({ outcome: 'ok', roots: [fixture.root] });
  expect(event.paths).toContainEqual(
    expect.objectContaining({ path: join(fixture.root, 'src/a.ts'), how: 'changed' }),
  );
  const [id] = event.entries!;
  const details = JSON.parse((await get(port, `/page/entries/${id}`, token)).text) as EntryDetails;
  expect(details).toMatchObject({ entry: { id, state: 'done' }, mayUndo: true });
  expect(details.diffs[0]!.text).toContain('-two\n+TWO\n');
  expect(details.plan!.diffs[0]!.text).toContain('-TWO\n+two\n');
  expect(JSON.stringify(details)).not.toMatch(/"hash"|"kept"/);
  const outcome = await undo(port, id!, token);
  expect([outcome.status, JSON.parse(outcome.text).done]).toEqual([200, true]);
  expect(readFileSync(join(fixture.root, 'src/a.ts'), 'utf8')).toBe('one\ntwo\n');
  const after = JSON.parse((await get(port, `/page/entries/${id}`, token)).text) as EntryDetails;
  expect(after.entry.state).toBe('undone');
  expect(after.plan).toBeUndefined();
}

const edit = { path: 'src/a.ts', edits: [{ oldText: 'two', newText: 'TWO' }] };

async function editOnStdio(): Promise<void> {
  const client = await RawClient.start([fixture.root, '--state', fixture.state]);
  clients.push(client);
  await client.text('edit_file', edit);
}

describe('the page of the program', () => {
  it('shows its calls over HTTP and undoes one', async () => {
    const port = await fixture.serve();
    const answer = await callOver(port, 'edit_file', edit);
    expect(answer.json.error).toBeUndefined();
    expect((await ask({ port, path: '/' })).text).toContain('Tool Trace');
    await seesAndUndoes(port, TOKEN, 'edit_file');
    const [event] = await events(port, TOKEN);
    expect(event).toMatchObject({ who: 'owner', dialect: 'replay', session: expect.any(String) });
  });

  it('shows the calls of a server on stdio with trace --web and undoes one', async () => {
    await editOnStdio();
    const [, port, token] = await fixture.start(
      ['trace', '--web'],
      /http:\/\/127\.0\.0\.1:(\d+)\/#token=(\S+)/,
    );
    await seesAndUndoes(Number(port), token!, 'edit_file');
    expect((await get(Number(port), '/page/about', TOKEN)).status).toBe(401);
    // Before the first call, it shows a server for the directory in which it was started.
    const { clients } = JSON.parse((await get(Number(port), '/page/about', token!)).text);
    expect(clients).toHaveLength(3);
    expect(clients[1].text).toContain(JSON.stringify(process.cwd()));
  });

  it('recognises a directory that was given through a link', async () => {
    const link = join(fixture.directory.path, 'link');
    mkdirSync(fixture.state);
    symlinkSync(fixture.root, link);
    const port = await fixture.serve(link);
    await editOnStdio();
    await seesAndUndoes(port, TOKEN, 'edit_file');
  });
});
