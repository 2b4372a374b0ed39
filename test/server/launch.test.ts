/** The start of the built program: what it does not load, and the compiled code that it keeps next to its files. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../client.ts';
import { temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
let dist: string;
beforeEach(() => {
  directory = temporaryDirectory();
  dist = join(directory.path, 'dist');
  cpSync(dirname(program), dist, { recursive: true, filter: (path) => !path.endsWith('.cache') });
});
afterEach(() => directory.remove());

const initialize = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': initialize.clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const ofBothEras = {
  handshake: [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ],
  modern: [
    { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } },
    { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta } },
  ],
};

/** Starts the program, with options for Node if there are any. */
function run(messages: readonly object[], options: readonly string[] = []) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...options, join(dist, 'cofferdam.cjs'), directory.path],
    { env, encoding: 'utf8', input: messages.map((message) => `${JSON.stringify(message)}\n`).join('') },
  );
  const answers = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { id: number; result?: { tools?: unknown[] } });
  return { status, stderr, tools: answers.find(({ id }) => id === 2)?.result?.tools?.length };
}

const caches = () => readdirSync(dist).filter((name) => name.endsWith('.cache'));
const cacheOfMain = () => join(dist, caches().find((name) => name.startsWith('main.'))!);

describe('the protocol library', () => {
  it('is not even read for a client that begins with initialize', () => {
    rmSync(join(dist, 'protocol.cjs'));
    expect(run(ofBothEras.handshake)).toMatchObject({ status: 0, tools: expect.any(Number) });
  });

  it('serves a client of 2026-07-28', () => {
    expect(run(ofBothEras.modern)).toMatchObject({ status: 0, tools: expect.any(Number) });
    expect(caches().map((name) => name.split('.')[0])).toEqual(['main', 'protocol', 'rest']);
  });

  it('is reported missing to a client that needs it, instead of leaving the client without an answer', () => {
    rmSync(join(dist, 'protocol.cjs'));
    const { status, stderr, tools } = run(ofBothEras.modern);
    expect([status, tools]).toEqual([1, undefined]);
    expect(stderr).toMatch(/protocol\.cjs/);
  });
});

describe('the rest of the program', () => {
  it('is not needed for the first answers', () => {
    rmSync(join(dist, 'rest.cjs'));
    const { stderr, tools } = run(ofBothEras.handshake);
    expect(tools).toEqual(expect.any(Number));
    // It is loaded right after them.
    expect(stderr).toMatch(/rest\.cjs/);
  });

  it("has Node's modules when a call needs them, including one that a source imports as a whole", () => {
    writeFileSync(join(directory.path, 'a.txt'), 'one\n');
    const call = ['call', 'read_text_file', '{"path":"a.txt","anchors":true}', directory.path];
    const { status, stdout } = spawnSync(process.execPath, [join(dist, 'cofferdam.cjs'), ...call], {
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^1#\w\w\| one\n$/);
  });

  it('shares no module with the part for the first answers', () => {
    const modules = (bundle: string) => {
      const { sources } = JSON.parse(readFileSync(join(dist, `${bundle}.cjs.map`), 'utf8'));
      return (sources as string[]).filter(
        (source) => /src\/.*\.ts$/.test(source) && !source.includes('late:'),
      );
    };
    const first = new Set(modules('main'));
    expect(first.size).toBeGreaterThan(50);
    expect(modules('rest').filter((source) => first.has(source))).toEqual(['../src/engine/index.ts']);
  });
});

describe('the compiled code', () => {
  it('is written by the first start and used by the next', () => {
    expect(caches()).toEqual([]);
    run(ofBothEras.handshake);
    const { mtimeMs } = statSync(cacheOfMain());
    run(ofBothEras.handshake);
    expect(statSync(cacheOfMain()).mtimeMs).toBe(mtimeMs);
    expect(caches()).toHaveLength(2);
  });

  it.each(['', 'nothing that V8 knows', 'x'.repeat(300_000)])(
    'is replaced if it is damaged (%#)',
    (damage) => {
      run(ofBothEras.handshake);
      writeFileSync(cacheOfMain(), damage);
      expect(run(ofBothEras.handshake)).toMatchObject({ status: 0, tools: expect.any(Number) });
      expect(readFileSync(cacheOfMain()).length).toBeGreaterThan(10_000);
      expect(readFileSync(cacheOfMain(), 'latin1').startsWith('xxxx')).toBe(false);
    },
  );

  it('is kept when the program starts once with options for V8', () => {
    run(ofBothEras.handshake);
    const before = readFileSync(cacheOfMain());
    expect(run(ofBothEras.handshake, ['--max-old-space-size=200'])).toMatchObject({ status: 0 });
    expect(readFileSync(cacheOfMain()).equals(before)).toBe(true);
  });

  it('is not needed where it cannot be written', () => {
    run(ofBothEras.handshake);
    const cache = cacheOfMain();
    rmSync(cache);
    // A directory in its place can neither be read as a file nor be replaced by one.
    cpSync(join(dist, 'types'), cache, { recursive: true });
    expect(run(ofBothEras.handshake)).toMatchObject({ status: 0, tools: expect.any(Number) });
    expect(existsSync(join(cache, 'engine'))).toBe(true);
  });
});
