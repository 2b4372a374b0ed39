/** The view of a change, for clients that can show views. All other clients see no trace of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Tool } from '../../src/dialects/dialect.ts';
import { standard } from '../../src/dialects/standard/index.ts';
import { withTools } from '../../src/dialects/with-tools.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { Scene, type TestClient, ways } from './resource-clients.ts';

const VIEWS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } };
const CHANGING = ['write_file', 'edit_file', 'move_file', 'apply_patch', 'delete_file', 'undo'];
/** Not enough: without the type that we serve, a client cannot show our view. */
const OTHER_VIEWS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } };

interface Listed {
  name: string;
  _meta?: Record<string, unknown>;
}
interface Result {
  content: { text: string }[];
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}

let temporary: ReturnType<typeof temporaryDirectory>;
let file: string;
let scene: Scene;

beforeEach(() => {
  temporary = temporaryDirectory();
  layOut(temporary.path, { 'root/a.txt': 'one\ntwo\n' });
  file = join(temporary.path, 'root/a.txt');
});

afterEach(async () => {
  await scene.close();
  temporary.remove();
});

function open(announced: object, isOffered: (tool: Tool) => boolean = () => true, journal = true): void {
  const roots = [{ path: join(temporary.path, 'root'), writable: true }];
  scene = new Scene(journal ? { roots, journal: join(temporary.path, 'state') } : { roots }, {
    dialects: [
      withTools(standard, ({ needsAllowRun, ...tool }) => !needsAllowRun && isOffered(tool as Tool)),
    ],
  });
  scene.announced = announced;
}

async function listed(client: TestClient): Promise<Listed[]> {
  return (await client.request('tools/list')).tools as Listed[];
}

function call(client: TestClient, name: string, args: object = {}): Promise<Result> {
  return client.request('tools/call', { name, arguments: args }) as unknown as Promise<Result>;
}

const edit = { path: 'a.txt', edits: [{ oldText: 'two', newText: 'three' }] };

describe.each(ways.map((way) => [`${way.name} (${way.era})`, way] as const))('%s', (_, way) => {
  it('lists the view with the tools that change something, and the tools that only the view calls', async () => {
    open(VIEWS);
    const tools = await listed(await way.connect(scene));
    expect(tools.filter((tool) => getToolUiResourceUri(tool) !== undefined).map(({ name }) => name)).toEqual(
      CHANGING,
    );
    expect(tools.filter((tool) => isToolVisibilityAppOnly(tool)).map(({ name }) => name)).toEqual([
      'show_change',
    ]);
  });

  it('tells the view what a call has changed, shows it, and undoes it', async () => {
    open(VIEWS);
    const client = await way.connect(scene);
    const made = (await call(client, 'edit_file', edit))._meta!['cofferdam/change'] as { entries: string[] };
    expect(made).toMatchObject({ entries: [expect.any(String)], show: 'show_change', undo: 'undo' });
    const [entry] = made.entries;
    const { structuredContent } = await call(client, 'show_change', { entry });
    expect(structuredContent).toMatchObject({
      ...{ entry, state: 'done', tool: 'edit_file' },
      files: [{ path: file, kind: 'changed', text: expect.stringContaining('-two\n+three') }],
    });
    const undone = await call(client, 'undo', { entry });
    expect(undone._meta!['cofferdam/change']).toMatchObject({ undo: 'undo' });
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
    const after = await call(client, 'show_change', { entry });
    expect(after.structuredContent).toMatchObject({ state: 'undone', undoneBy: expect.any(String) });
  });

  it('serves the view, which connects to no origin', async () => {
    open(VIEWS);
    const client = await way.connect(scene);
    const uri = getToolUiResourceUri((await listed(client)).find(({ name }) => name === 'undo')!)!;
    const { contents } = await client.request('resources/read', { uri });
    expect(contents).toEqual([
      {
        ...{ uri, mimeType: RESOURCE_MIME_TYPE, text: expect.stringContaining('<!doctype html>') },
        _meta: { ui: { csp: {}, prefersBorder: true } },
      },
    ]);
  });

  it.each([{}, OTHER_VIEWS])('shows no trace of it to a client that announces %j', async (announced) => {
    open(announced);
    const client = await way.connect(scene);
    const tools = await listed(client);
    expect(tools.filter(({ _meta }) => _meta !== undefined)).toEqual([]);
    expect(tools.map(({ name }) => name)).not.toContain('show_change');
    const { _meta = {} } = await call(client, 'edit_file', edit);
    expect(Object.keys(_meta)).not.toContain('cofferdam/change');
  });
});

describe('the view of a change', () => {
  const [way] = ways;

  it('has no Undo if the operator offers no undo, and disappears with the tools that have it', async () => {
    open(VIEWS, ({ name }) => name === 'edit_file');
    const client = await way!.connect(scene);
    expect((await listed(client)).map(({ name }) => name)).toEqual(['edit_file', 'show_change']);
    const { _meta } = await call(client, 'edit_file', edit);
    expect(_meta!['cofferdam/change']).toEqual({ entries: [expect.any(String)], show: 'show_change' });
  });

  it('is not offered if no tool changes anything', async () => {
    open(VIEWS, ({ hints }) => hints.readOnly);
    const tools = await listed(await way!.connect(scene));
    expect(tools.filter(({ name, _meta }) => name === 'show_change' || _meta !== undefined)).toEqual([]);
  });

  it('is not offered without a journal', async () => {
    open(VIEWS, () => true, false);
    const client = await way!.connect(scene);
    expect((await listed(client)).filter(({ _meta }) => _meta !== undefined)).toEqual([]);
    expect((await call(client, 'show_change')).isError).toBe(true);
  });

  it('shows a change to the token that made it, and to no other', async () => {
    open(VIEWS);
    const own = await way!.connect(scene);
    const { _meta } = await call(own, 'edit_file', edit);
    const [entry] = (_meta!['cofferdam/change'] as { entries: string[] }).entries;
    scene.app.who = 'somebody else';
    const { isError, content } = await call(own, 'show_change', { entry });
    expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining('There is no entry')]);
  });
});
