/** Files as resources, with the protocol's own clients in both eras, on stdio and over HTTP. */
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { soak } from '../soak.ts';
import { layOut, type Tree, temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';
import { Scene, type TestClient, ways } from './resource-clients.ts';

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
let scene: Scene;

beforeEach(() => {
  temporary = temporaryDirectory();
  root = join(temporary.path, 'root');
  layOut(temporary.path, {
    'root/.gitignore': 'ignored/\n*.log\n',
    'root/a.txt': 'some text\n',
    'root/b c#d%.txt': 'odd name\n',
    'root/dir/inner.ts': 'inner\n',
    'root/dir/deep/INNERmost.ts': 'innermost\n',
    'root/ignored/x.txt': 'x',
    'root/x.log': 'x',
    'root/image.png': { base64: 'iVBORw0KGgoA/w==' },
    'root/link': { link: '../outside/secret.txt' },
    'outside/secret.txt': 'secret\n',
    'outside/a.txt': 'outside\n',
  });
  scene = new Scene({ roots: [{ path: root, writable: true }] });
});

afterEach(async () => {
  await scene.close();
  temporary.remove();
});

const uri = (path: string) => pathToFileURL(join(root, path)).href;

async function failure(work: Promise<unknown>): Promise<{ code: number; message: string; data?: unknown }> {
  try {
    await work;
  } catch (error) {
    return error as { code: number; message: string; data?: unknown };
  }
  throw new Error('it did not fail');
}

async function contentsOf(client: TestClient, of: string): Promise<Record<string, unknown>> {
  const { contents } = await client.request('resources/read', { uri: of });
  expect(contents).toHaveLength(1);
  return (contents as Record<string, unknown>[])[0]!;
}

async function listAll(client: TestClient): Promise<{ uris: string[]; pages: number[] }> {
  const [uris, pages]: [string[], number[]] = [[], []];
  let cursor: string | undefined;
  do {
    const page = await client.request('resources/list', cursor === undefined ? {} : { cursor });
    const resources = page.resources as { uri: string }[];
    uris.push(...resources.map((resource) => resource.uri));
    pages.push(resources.length);
    cursor = page.nextCursor as string | undefined;
  } while (cursor !== undefined);
  return { uris, pages };
}

/** Enough clients for what does not depend on the client. */
const FEW = ways.filter(({ name, era }) => ['stdio 2025', 'HTTP 2026'].includes(`${name} ${era}`));

describe.each(ways.map((way) => [`${way.name} (${way.era})`, way] as const))('%s', (_, way) => {
  it('announces its capabilities', async () => {
    const client = await way.connect(scene);
    expect(client.capabilities()).toEqual({
      tools: {},
      resources: { subscribe: true, listChanged: true },
      completions: {},
    });
    expect(client.instructions()).toBe('1 directories; no undo; true');
    expect((await client.request('resources/templates/list')).resourceTemplates).toEqual([
      {
        uriTemplate: 'file:///{+path}',
        name: 'file',
        title: 'Files',
        description: 'A file of the directories that are served, or the listing of a directory',
      },
    ]);
  });

  it('lists files by path, without ignored files and links', async () => {
    const client = await way.connect(scene);
    const { resources } = await client.request('resources/list');
    expect(resources).toEqual([
      { uri: uri('.gitignore'), name: '.gitignore' },
      { uri: uri('a.txt'), name: 'a.txt' },
      { uri: uri('b c#d%.txt'), name: 'b c#d%.txt' },
      { uri: uri('dir/deep/INNERmost.ts'), name: 'dir/deep/INNERmost.ts' },
      { uri: uri('dir/inner.ts'), name: 'dir/inner.ts' },
      { uri: uri('image.png'), name: 'image.png', mimeType: 'image/png' },
    ]);
  });

  it('reads text, other files and directories', async () => {
    const client = await way.connect(scene);
    const odd = { uri: uri('b c#d%.txt'), mimeType: 'text/plain', text: 'odd name\n' };
    expect(await contentsOf(client, odd.uri)).toEqual(odd);
    const image = { uri: uri('image.png'), mimeType: 'image/png', blob: 'iVBORw0KGgoA/w==' };
    expect(await contentsOf(client, image.uri)).toEqual(image);
    expect(await contentsOf(client, uri('dir'))).toEqual({
      uri: uri('dir'),
      mimeType: 'inode/directory',
      text: '[DIR] deep\n[FILE] inner.ts',
    });
    expect(await contentsOf(client, 'file:///dir/inner.ts')).toMatchObject({ text: 'inner\n' });
  });

  it('refuses what does not exist, what is outside and what is not a file', async () => {
    const client = await way.connect(scene);
    // The client of the second major version has one code for both eras.
    const notFound = way.name.includes('first major') ? -32002 : -32602;
    const outside = pathToFileURL(join(temporary.path, 'outside/secret.txt')).href;
    for (const [of, message] of [
      [uri('missing.txt'), 'not-found'],
      [outside, 'outside'],
      [uri('link'), 'outside'],
      [`${uri('dir')}/%2e%2e/%2e%2e/outside/secret.txt`, 'outside'],
      ['file:///etc/passwd', 'outside'],
    ] as const) {
      const error = await failure(client.request('resources/read', { uri: of }));
      expect([error.code, error.message.replace(/^MCP error -\d+: /, '')]).toEqual([notFound, message]);
      expect(error.data).toEqual({ uri: of });
    }
    for (const of of ['https://example.org/a.txt', 'file://elsewhere/a.txt', ''])
      expect((await failure(client.request('resources/read', { uri: of }))).code).toBe(-32602);
    expect((await failure(client.request('resources/list', { cursor: 'none' }))).code).toBe(-32602);
  });

  it.runIf(soak(FEW, ways).includes(way))('completes paths', async () => {
    const client = await way.connect(scene);
    const complete = async (value: string) => {
      const { completion } = await client.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'file:///{+path}' },
        argument: { name: 'path', value },
      });
      return completion as { values: string[]; hasMore: boolean };
    };
    const own = root.slice(1);
    expect((await complete('')).values).toEqual([
      '.gitignore',
      'a.txt',
      'b c#d%.txt',
      'dir/',
      'image.png',
      'link',
    ]);
    expect((await complete('di')).values).toEqual(['dir/']);
    expect((await complete('dir/')).values).toEqual(['dir/deep/', 'dir/inner.ts']);
    expect((await complete('ignored/')).values).toEqual(['ignored/x.txt']);
    expect((await complete('inner')).values).toEqual(['dir/deep/INNERmost.ts', 'dir/inner.ts']);
    expect((await complete(own.slice(0, 4))).values).toEqual([`${own}/`]);
    expect((await complete(`${own}/dir/i`)).values).toEqual([`${own}/dir/inner.ts`]);
    expect((await complete('../outside/')).values).toEqual([]);
    expect((await complete('link/')).values).toEqual([]);
    const wrong = {
      ref: { type: 'ref/resource', uri: 'other:///{x}' },
      argument: { name: 'path', value: '' },
    };
    expect((await failure(client.request('completion/complete', wrong))).code).toBe(-32602);
  });

  it('reports changes of files that a client subscribed to, through this server and from outside', async () => {
    const client = await way.connect(scene);
    const a = uri('a.txt');
    const end = await client.subscribe(a);
    await client.request('tools/call', { name: 'write_file', arguments: { path: 'a.txt', content: '1' } });
    await until(() => client.heard.length === 1);
    writeFileSync(join(root, 'a.txt'), 'from outside');
    await until(() => client.heard.length >= 2);
    rmSync(join(root, 'a.txt'));
    await until(() => client.heard.length >= 3);
    expect(new Set(client.heard)).toEqual(new Set([a]));
    await end();
    const again = await client.subscribe(uri('dir/inner.ts'));
    client.heard.length = 0;
    writeFileSync(join(root, 'a.txt'), 'nobody listens');
    writeFileSync(join(root, 'dir/inner.ts'), 'changed');
    await until(() => client.heard.length > 0);
    expect(client.heard).not.toContain(a);
    await again();
  });

  it('has checked a file before it confirms the subscription', async () => {
    const client = await way.connect(scene);
    const { files } = scene.engine;
    const info = files.info.bind(files);
    vi.spyOn(files, 'info').mockImplementationOnce(async (path) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return info(path);
    });
    const end = await client.subscribe(uri('a.txt'));
    writeFileSync(join(root, 'a.txt'), 'changed at once');
    await until(() => client.heard.length > 0);
    await end();
  });

  it('tells a client that has the list when files are added', async () => {
    const client = await way.connect(scene);
    await client.request('resources/list');
    await client.listenToList();
    await client.request('tools/call', { name: 'write_file', arguments: { path: 'new.txt', content: '' } });
    await until(() => client.heard.includes('list'));
  });
});

describe('a list of many files', () => {
  it('comes in pages of a hundred, over several directories, each file once', async () => {
    const tree: Tree = {};
    for (let i = 0; i < 130; i++) tree[`one/${i}.txt`] = '';
    for (let i = 0; i < 120; i++) tree[`one/nested/${i}.txt`] = '';
    tree['two/last.txt'] = '';
    layOut(temporary.path, tree);
    const paths = ['one', 'one/nested', 'two', 'one'].map((path) => join(temporary.path, path));
    const several = new Scene({ roots: paths.map((path) => ({ path, writable: true })) });
    const { uris, pages } = await listAll(await ways[0]!.connect(several));
    expect(pages).toEqual([100, 100, 51]);
    expect(new Set(uris).size).toBe(251);
    await several.close();
  });
});

describe('a resource beyond the budget', () => {
  it('ends at a whole line, and the last line names the call that continues', async () => {
    const lines = Array.from({ length: 20_013 }, (_, i) => `line ${i + 1}`);
    writeFileSync(join(root, 'long.txt'), `${lines.join('\n')}\n`);
    scene.app.maxTokens = 5000;
    const { text } = await contentsOf(await ways[0]!.connect(scene), uri('long.txt'));
    expect(Buffer.byteLength(text as string)).toBeLessThanOrEqual(20_000);
    const shown = (text as string).split('\n');
    const note = shown.pop()!;
    expect(shown).toEqual(lines.slice(0, shown.length));
    const next = JSON.stringify({ path: join(root, 'long.txt'), offset: shown.length + 1 });
    expect(note).toBe(`[lines 1-${shown.length} of 20,013; next: read_text_file ${next}]`);
  });

  it('is cut within a line that is longer than the budget', async () => {
    writeFileSync(join(root, 'wide.txt'), 'ü'.repeat(50_000));
    const { text } = await contentsOf(await ways[0]!.connect(scene), uri('wide.txt'));
    const [shown, note] = (text as string).split('\n');
    const next = JSON.stringify({ path: join(root, 'wide.txt'), offset: 1, column: shown!.length + 1 });
    expect(note).toBe(`[line 1, characters 1-${shown!.length} of 50,000; next: read_text_file ${next}]`);
    expect(Buffer.byteLength(text as string)).toBeLessThanOrEqual(80_000);
  });

  it('is refused as a blob beyond 5 MiB', async () => {
    writeFileSync(join(root, 'large.bin'), Buffer.alloc(5 * 1024 * 1024 + 1));
    writeFileSync(join(root, 'fits.bin'), Buffer.alloc(5 * 1024 * 1024));
    for (const way of [ways[0]!, ways[4]!]) {
      const client = await way.connect(scene);
      const error = await failure(client.request('resources/read', { uri: uri('large.bin') }));
      expect(error.message).toContain('too-large');
      const { blob } = await contentsOf(client, uri('fits.bin'));
      expect((blob as string).length).toBe(4 * Math.ceil((5 * 1024 * 1024) / 3));
    }
  });
});

describe('a subscription', () => {
  it('does not follow its file out of the served directories', async () => {
    const client = await ways[0]!.connect(scene);
    await client.subscribe(uri('dir/inner.ts'));
    const control = uri('a.txt');
    await client.subscribe(control);
    renameSync(join(root, 'dir'), join(temporary.path, 'outside/dir'));
    symlinkSync(join(temporary.path, 'outside/dir'), join(root, 'dir'));
    await until(() => client.heard.length > 0);
    client.heard.length = 0;
    writeFileSync(join(temporary.path, 'outside/dir/inner.ts'), 'changed outside');
    writeFileSync(join(root, 'a.txt'), 'changed');
    await until(() => client.heard.includes(control));
    expect(client.heard).not.toContain(uri('dir/inner.ts'));
  });

  it('is refused for what does not exist or is outside', async () => {
    const client = await ways[0]!.connect(scene);
    for (const of of [uri('missing'), 'file:///etc/passwd', uri('link')])
      expect((await failure(client.subscribe(of))).data).toEqual({ uri: of });
  });
});
