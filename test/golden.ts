/**
 * Runs golden files. A golden file is a JSON list of cases: the files on disk, one or more calls with their answers,
 * and the files on disk afterwards. In every text `{ROOT}` stands for the directory of the case.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool } from '../src/dialects/call.ts';
import type { Dialect, Session } from '../src/dialects/dialect.ts';
import { anonymous, Engine } from '../src/engine/index.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from './tree.ts';

export interface GoldenCase {
  name: string;
  /** Ids of the sentences that this case proves, see test/spec/. */
  proves?: string[];
  /** What is on disk before the calls. Files named `../outside/…` are next to the root. */
  files?: Tree;
  /** The directories that the server serves, relative to the case. Default: a single writable one. */
  roots?: { path: string; writable: boolean }[];
  readOnly?: boolean;
  /** The server records changes, so that they can be undone. */
  journal?: true;
  /** The encodings that the owner declares for some files. */
  encodings?: { glob: string; charset: string }[];
  /** About how many tokens an answer may hold. */
  maxTokens?: number;
  settings?: Record<string, string>;
  calls: GoldenCall[];
  /** Everything on disk after the calls. Default: nothing may have changed. */
  after?: Tree;
}

export interface GoldenCall {
  tool: string;
  args: unknown;
  /** The texts of the answer, one for each content item, exactly. */
  texts?: string[];
  /** Texts that the answer must contain. */
  contains?: string[];
  /** The value of an answer in JSON. `"*"` matches anything. */
  json?: unknown;
  /** The whole answer, if it is more than texts. `"*"` matches anything. */
  answer?: unknown;
  isError?: boolean;
  /** A protocol error. */
  error?: { code: number; message?: string; contains?: string[]; data?: unknown };
}

export function runGoldens(dialect: Dialect, folder: string): void {
  let shared: SharedEngine;
  beforeAll(() => {
    shared = new SharedEngine();
  });
  afterAll(() => shared.close());
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.golden.json'))) {
    const cases = JSON.parse(readFileSync(join(folder, file), 'utf8')) as GoldenCase[];
    describe(file.replace('.golden.json', ''), () => {
      for (const golden of cases) it(golden.name, () => runCase(dialect, golden, shared));
    });
  }
}

/** A server that most cases share. Each case lays out the served directory again. */
class SharedEngine {
  readonly #base = temporaryDirectory();
  readonly engine: Engine;

  constructor() {
    mkdirSync(join(this.path, 'root'));
    this.engine = new Engine({ roots: [{ path: join(this.path, 'root'), writable: true }] });
  }

  get path(): string {
    return this.#base.path;
  }

  /** Empties the root, which the engine keeps open, and removes what is next to it. */
  clear(): void {
    for (const name of readdirSync(this.path)) if (name !== 'root') remove(join(this.path, name));
    for (const name of readdirSync(join(this.path, 'root'))) remove(join(this.path, 'root', name));
  }

  async close(): Promise<void> {
    await this.engine.close();
    this.#base.remove();
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

async function runCase(dialect: Dialect, golden: GoldenCase, shared: SharedEngine): Promise<void> {
  if (isUsual(golden)) {
    try {
      await runCalls(dialect, golden, shared.path, () => shared.engine);
    } finally {
      shared.clear();
    }
    return;
  }
  const temporary = temporaryDirectory();
  const state = golden.journal ? temporaryDirectory() : undefined;
  let engine: Engine | undefined;
  const open = (root: string) => {
    engine = new Engine({
      roots: (golden.roots ?? [{ path: '.', writable: true }]).map(({ path, writable }) => ({
        path: join(root, path),
        writable,
      })),
      readOnly: golden.readOnly ?? false,
      encodings: golden.encodings ?? [],
      ...(state && { journal: state.path }),
    });
    return engine;
  };
  try {
    await runCalls(dialect, golden, temporary.path, open);
  } finally {
    await engine?.close();
    temporary.remove();
    state?.remove();
  }
}

/** Whether a case can share the server. Commands need their own, because what they leave in its home may stay. */
function isUsual({ roots, readOnly, journal, encodings, calls }: GoldenCase): boolean {
  const runsCommands = calls.some(({ tool }) => /command|exec/.test(tool));
  return !roots && !readOnly && !journal && !encodings && !runsCommands;
}

async function runCalls(
  dialect: Dialect,
  golden: GoldenCase,
  base: string,
  open: (root: string) => Engine,
): Promise<void> {
  const root = join(base, 'root');
  layOut(root, { './': '' });
  layOut(root, fill(golden.files ?? {}, root));
  const before = readBack(base);
  const engine = open(root);
  const session: Session = {};
  for (const call of golden.calls) await runCall(dialect, engine, session, golden, call, root);
  const after = golden.after ? withPrefix(fill(golden.after, root), root) : before;
  expect(readBack(base)).toEqual(after);
}

async function runCall(
  dialect: Dialect,
  engine: Engine,
  session: Session,
  golden: GoldenCase,
  call: GoldenCall,
  root: string,
): Promise<void> {
  const tool = dialect.tools.find(({ name }) => name === call.tool);
  if (!tool) throw new Error(`${dialect.name} has no tool ${call.tool}`);
  const outcome = await callTool(dialect, tool, fill(call.args, root), {
    engine,
    caller: anonymous,
    session,
    signal: new AbortController().signal,
    home: homedir(),
    settings: golden.settings ?? {},
    maxTokens: golden.maxTokens,
    progress: () => {},
  });
  const expected = fill(call, root);
  if (expected.error) {
    expect(outcome).toHaveProperty('error');
    const { error } = outcome as { error: { code: number; message: string; data?: unknown } };
    expect(error.code).toBe(expected.error.code);
    if (expected.error.message !== undefined) expect(error.message).toBe(expected.error.message);
    for (const part of expected.error.contains ?? []) expect(error.message).toContain(part);
    if (expected.error.data !== undefined) expect(error.data).toEqual(loosely(expected.error.data));
    return;
  }
  expect(outcome).toHaveProperty('result');
  const { result } = outcome as { result: { content: { text?: string }[]; isError?: boolean } };
  const texts = result.content.map((item) => item.text);
  if (expected.texts) expect(texts).toEqual(expected.texts);
  for (const part of expected.contains ?? []) expect(texts.join('\n')).toContain(part);
  if (expected.json !== undefined) expect(JSON.parse(texts[0]!)).toEqual(loosely(expected.json));
  if (expected.answer !== undefined) expect(result).toEqual(loosely(expected.answer));
  expect(result.isError ?? false).toBe(expected.isError ?? false);
}

function withPrefix(tree: Tree, root: string): Tree {
  const prefixed: Tree = {};
  for (const [path, described] of Object.entries(tree)) {
    prefixed[path.startsWith('../') ? path.slice(3) : `root/${path}`] = described;
  }
  if (Object.keys(prefixed).every((path) => !path.startsWith('root/'))) prefixed['root/'] = '';
  return JSON.parse(JSON.stringify(prefixed).replaceAll('{ROOT}', root)) as Tree;
}

function fill<T>(value: T, root: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('{ROOT}', root)) as T;
}

function loosely(value: unknown): unknown {
  if (value === '*') return expect.anything();
  if (Array.isArray(value)) return value.map(loosely);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, loosely(inner)]));
}
