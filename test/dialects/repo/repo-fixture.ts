/** A repository with repo's tools, for tests that check more than golden files can say. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { callTool } from '../../../src/dialects/call.ts';
import type { ToolContext, ToolResult } from '../../../src/dialects/dialect.ts';
import type { RepoError } from '../../../src/dialects/repo/failures.ts';
import { repo } from '../../../src/dialects/repo/index.ts';
import { anonymous, Engine } from '../../../src/engine/index.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';

export interface RepoFixture {
  /** The repository. `../outside` is next to it. */
  root: string;
  call(tool: string, args: unknown, around?: Partial<ToolContext>): Promise<ToolResult | RepoError>;
  /** The object of an answer, the same as text and as structured content. Throws if the call fails. */
  json<T>(tool: string, args: unknown, around?: Partial<ToolContext>): Promise<T>;
  /** The failure of a call. Throws if the call succeeds. */
  failure(tool: string, args: unknown, around?: Partial<ToolContext>): Promise<RepoError>;
  /** Everything on disk, the outside included. */
  everything(): Tree;
  close(): Promise<void>;
}

export function openRepoFixture(tree: Tree = {}, given = '.'): RepoFixture {
  const temporary = temporaryDirectory();
  const root = join(temporary.path, 'root');
  layOut(root, { './': '', ...tree });
  const engine = new Engine({ roots: [{ path: join(root, given), writable: true }] });
  return fixtureOf(temporary.path, engine, async () => {
    await engine.close();
    temporary.remove();
  });
}

/** One repository and engine for many fixtures, one after the other. Each fixture lays out its own files. */
export class SharedRepository {
  readonly #temporary = temporaryDirectory();
  readonly #root = join(this.#temporary.path, 'root');
  readonly #engine: Engine;

  constructor() {
    layOut(this.#root, { './': '' });
    this.#engine = new Engine({ roots: [{ path: this.#root, writable: true }] });
  }

  open(tree: Tree = {}): RepoFixture {
    layOut(this.#root, tree);
    return fixtureOf(this.#temporary.path, this.#engine, async () => {
      for (const name of readdirSync(this.#root)) rmSync(join(this.#root, name), { recursive: true });
    });
  }

  async close(): Promise<void> {
    await this.#engine.close();
    this.#temporary.remove();
  }
}

function fixtureOf(base: string, engine: Engine, close: () => Promise<void>): RepoFixture {
  const call: RepoFixture['call'] = async (name, args, around = {}) => {
    const tool = repo.tools.find((each) => each.name === name)!;
    const outcome = await callTool(repo, tool, args, {
      engine,
      caller: anonymous,
      session: {},
      signal: new AbortController().signal,
      home: '/',
      settings: {},
      progress: () => {},
      ...around,
    });
    return 'error' in outcome ? (outcome.error as RepoError) : outcome.result;
  };

  return {
    root: join(base, 'root'),
    call,
    async json<T>(tool: string, args: unknown, around?: Partial<ToolContext>) {
      const outcome = await call(tool, args, around);
      if (!('content' in outcome)) throw new Error(`${tool}: ${JSON.stringify(outcome)}`);
      const [item, ...more] = outcome.content;
      if (item?.type !== 'text' || more.length > 0) throw new Error(`${tool} answered more than one text`);
      if (item.text !== JSON.stringify(outcome.structuredContent))
        throw new Error(`${tool} answered two things`);
      return outcome.structuredContent as T;
    },
    async failure(tool, args, around) {
      const outcome = await call(tool, args, around);
      if ('code' in outcome) return outcome;
      throw new Error(`${tool} did not fail: ${JSON.stringify(outcome)}`);
    },
    everything: () => readBack(base),
    close,
  };
}
