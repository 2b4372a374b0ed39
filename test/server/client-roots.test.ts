/** Roots narrow what a server serves to a client and never widen it. Without directories of its own it serves them. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Engine } from '../../src/engine/index.ts';
import { expectNoMoreHeld, heldBelow } from '../descriptors.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';
import { Scene, type TestClient, ways } from './resource-clients.ts';

let temporary: ReturnType<typeof temporaryDirectory>;
let base: string;
let scene: Scene;

beforeEach(() => {
  temporary = temporaryDirectory();
  base = temporary.path;
  layOut(base, { 'one/app/a.txt': 'a', 'one/b.txt': 'b', 'two/c.txt': 'c', 'outside/d.txt': 'd' });
  const roots = ['one', 'two'].map((path) => ({ path: join(base, path), writable: true }));
  scene = new Scene({ roots });
});

afterEach(async () => {
  await scene.close();
  temporary.remove();
});

const at = (...paths: string[]) => paths.map((path) => join(base, path));

/** Which of the four files a client can reach with a tool. */
async function reached(client: TestClient): Promise<string[]> {
  const names: string[] = [];
  for (const path of ['one/app/a.txt', 'one/b.txt', 'two/c.txt', 'outside/d.txt']) {
    const args = { name: 'read_text_file', arguments: { path: join(base, path) } };
    if (!(await client.request('tools/call', args)).isError)
      names.push(path.slice(path.lastIndexOf('/') + 1));
  }
  return names;
}

async function listed(client: TestClient): Promise<string[]> {
  const { resources } = await client.request('resources/list');
  return (resources as { name: string }[]).map(({ name }) => name);
}

const handshakes = ways.filter(({ era }) => era === '2025');

describe.each(handshakes.map((way) => [way.name, way] as const))('roots on %s', (_, way) => {
  it('narrow what is served to what is in both', async () => {
    const client = await way.connect(scene, at('one/app', 'outside'));
    expect(await reached(client)).toEqual(['a.txt']);
    expect(await listed(client)).toEqual(['a.txt']);
    const outside = pathToFileURL(join(base, 'one/b.txt')).href;
    await expect(client.request('resources/read', { uri: outside })).rejects.toThrow('outside');
    expect(client.rootsAsked).toBe(1);
  });

  it('are followed when they change, even back to all directories', async () => {
    const client = await way.connect(scene, at('one'));
    expect(await reached(client)).toEqual(['a.txt', 'b.txt']);
    await client.setRoots(at('two'));
    await until(() => client.rootsAsked === 2);
    expect(await reached(client)).toEqual(['c.txt']);
    await client.setRoots(at('outside'));
    await until(() => client.rootsAsked === 3);
    expect(await reached(client)).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  it('do not matter for a client without roots', async () => {
    const client = await way.connect(scene);
    expect(await reached(client)).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });
});

describe('narrowing', () => {
  const way = ways[0]!;
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['nothing is in both', ['outside'], ['a.txt', 'b.txt', 'c.txt']],
    ['there are none', [], ['a.txt', 'b.txt', 'c.txt']],
    ['one is above what is given', ['.'], ['a.txt', 'b.txt', 'c.txt']],
    ['one is not a directory', ['one/b.txt', 'two'], ['c.txt']],
    ['one is missing', ['one/gone', 'two'], ['c.txt']],
  ])('works if %s', async (_, roots, expected) => {
    expect(await reached(await way.connect(scene, at(...roots)))).toEqual(expected);
  });

  it('delays no call for longer than the client takes to name its roots', async () => {
    // A call that waits for the time limit would wait forever here.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    expect(await reached(await way.connect(scene, at('two')))).toEqual(['c.txt']);
  });

  it('never follows a link out of what is given', async () => {
    symlinkSync(join(base, 'outside'), join(base, 'one/link'));
    const client = await way.connect(scene, at('one/link', 'two'));
    expect(await reached(client)).toEqual(['c.txt']);
  });

  it('applies to one client only', async () => {
    const narrow = await way.connect(scene, at('two'));
    const wide = await way.connect(scene);
    expect(await reached(narrow)).toEqual(['c.txt']);
    expect(await reached(wide)).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  it('keeps subscriptions whose files are still served', async () => {
    const client = await way.connect(scene, at('one', 'two'));
    const [a, c] = at('one/app/a.txt', 'two/c.txt').map((path) => pathToFileURL(path).href);
    await client.subscribe(a!);
    await client.subscribe(c!);
    await client.setRoots(at('two'));
    await until(() => client.rootsAsked === 2);
    // A call is answered only after the roots have changed, and so have the subscriptions.
    await reached(client);
    const write = (path: string) =>
      scene.engine.files.write(join(base, path), `changed ${client.heard.length} times`);
    await write('one/app/a.txt');
    for (let tries = 0; tries < 400 && client.heard.length === 0; tries++) {
      await write('two/c.txt');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(new Set(client.heard)).toEqual(new Set([c]));
  });

  it('holds nothing open once the client is gone', async () => {
    const before = heldBelow(base);
    const client = await way.connect(scene, at('one/app', 'two'));
    await reached(client);
    await client.setRoots(at('one'));
    await reached(client);
    await client.close();
    await expectNoMoreHeld(before, base);
  });
});

describe('a server without directories of its own', () => {
  beforeEach(async () => {
    await scene.close();
    scene = new Scene(
      { roots: [], mayBeEmpty: true },
      {
        clientRoots: {
          canChange: true,
          canUndo: false,
          open: (paths) => {
            const roots = paths
              .filter((path) => !path.endsWith('gone'))
              .map((path) => ({ path, writable: true }));
            return roots.length === 0 ? undefined : new Engine({ roots });
          },
        },
      },
    );
  });

  it.each(handshakes.map((way) => [way.name, way] as const))(
    'serves the roots of its client on %s',
    async (_, way) => {
      const client = await way.connect(scene, at('two', 'outside'));
      expect(await reached(client)).toEqual(['c.txt', 'd.txt']);
      expect(await listed(client)).toEqual(['c.txt', 'd.txt']);
      await client.setRoots(at('one/app'));
      await until(() => client.rootsAsked === 2);
      expect(await reached(client)).toEqual(['a.txt']);
    },
  );

  it.each(ways.map((way) => [`${way.name} (${way.era})`, way] as const))(
    'says that it knows no roots yet, on %s',
    async (_, way) => {
      const client = await way.connect(scene);
      const answer = await client.request('tools/call', { name: 'read_text_file', arguments: { path: 'a' } });
      const text = expect.stringMatching(/^No directory is served yet: .* has named none\./);
      expect(answer).toMatchObject({ isError: true, content: [{ type: 'text', text }] });
      await expect(client.request('resources/list')).rejects.toThrow('No directory is served yet');
      expect((await client.request('tools/list')).tools).toHaveLength(2);
    },
  );

  it('says that none of the roots can be opened', async () => {
    mkdirSync(join(base, 'later'));
    const client = await ways[0]!.connect(scene, at('gone'));
    const read = () => client.request('tools/call', { name: 'read_text_file', arguments: { path: 'a' } });
    const none = {
      content: [{ type: 'text', text: expect.stringMatching(/^No directory is served: none/) }],
    };
    expect(await read()).toMatchObject(none);
    await client.setRoots(at('later'));
    await until(() => client.rootsAsked === 2);
    expect(await read()).toMatchObject({ content: [{ type: 'text', text: 'not-found' }] });
  });
});
