/** A repository with repo's tools over it, for tests that look at more than a golden can say. */
import { join } from 'node:path';
import { callTool } from '../../../src/dialects/call.ts';
import type { ToolContext, ToolResult } from '../../../src/dialects/dialect.ts';
import type { RepoError } from '../../../src/dialects/repo/failures.ts';
import { repo } from '../../../src/dialects/repo/index.ts';
import { anonymous, Engine } from '../../../src/engine/index.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';

export interface RepoFixture {
  /** The repository; `../outside` lies beside it. */
  root: string;
  call(tool: string, args: unknown, around?: Partial<ToolContext>): Promise<ToolResult | RepoError>;
  /** The object of an answer, which is the same as text and as structured content; a failure throws. */
  json<T>(tool: string, args: unknown, around?: Partial<ToolContext>): Promise<T>;
  /** The failure of a call; an answer throws. */
  failure(tool: string, args: unknown, around?: Partial<ToolContext>): Promise<RepoError>;
  /** Everything there is, the outside included. */
  everything(): Tree;
  close(): Promise<void>;
}

export function openRepoFixture(tree: Tree = {}, given = '.'): RepoFixture {
  const temporary = temporaryDirectory();
  const root = join(temporary.path, 'root');
  layOut(root, { './': '', ...tree });
  const engine = new Engine({ roots: [{ path: join(root, given), writable: true }] });

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
    root,
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
    everything: () => readBack(temporary.path),
    async close() {
      await engine.close();
      temporary.remove();
    },
  };
}
