/** A repository with repo's tools over it, for tests that look at more than a golden can say. */
import { join } from 'node:path';
import { callTool } from '../../../src/dialects/call.ts';
import type { Answer, ToolContext } from '../../../src/dialects/dialect.ts';
import type { RepoError } from '../../../src/dialects/repo/failures.ts';
import { repo } from '../../../src/dialects/repo/index.ts';
import { anonymous, Engine } from '../../../src/engine/index.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';

export interface House {
  /** The repository; `../outside` lies beside it. */
  root: string;
  call(tool: string, args: unknown, around?: Partial<ToolContext>): Promise<Answer | RepoError>;
  /** The object of an answer, which is the same as text and as structured content; a failure throws. */
  json<T>(tool: string, args: unknown, around?: Partial<ToolContext>): Promise<T>;
  /** The failure of a call; an answer throws. */
  failure(tool: string, args: unknown, around?: Partial<ToolContext>): Promise<RepoError>;
  /** Everything there is, the outside included. */
  everything(): Tree;
  close(): Promise<void>;
}

export function openHouse(tree: Tree = {}, given = '.'): House {
  const temporary = temporaryDirectory();
  const root = join(temporary.path, 'root');
  layOut(root, { './': '', ...tree });
  const engine = new Engine({ roots: [{ path: join(root, given), writable: true }] });

  const call: House['call'] = async (name, args, around = {}) => {
    const tool = repo.tools.find((each) => each.name === name)!;
    const told = await callTool(repo, tool, args, {
      engine,
      caller: anonymous,
      session: {},
      signal: new AbortController().signal,
      home: '/',
      settings: {},
      progress: () => {},
      ...around,
    });
    return 'error' in told ? (told.error as RepoError) : told.answer;
  };

  return {
    root,
    call,
    async json<T>(tool: string, args: unknown, around?: Partial<ToolContext>) {
      const told = await call(tool, args, around);
      if (!('content' in told)) throw new Error(`${tool}: ${JSON.stringify(told)}`);
      const [item, ...more] = told.content;
      if (item?.type !== 'text' || more.length > 0) throw new Error(`${tool} answered more than one text`);
      if (item.text !== JSON.stringify(told.structuredContent))
        throw new Error(`${tool} answered two things`);
      return told.structuredContent as T;
    },
    async failure(tool, args, around) {
      const told = await call(tool, args, around);
      if ('code' in told) return told;
      throw new Error(`${tool} did not fail: ${JSON.stringify(told)}`);
    },
    everything: () => readBack(temporary.path),
    async close() {
      await engine.close();
      temporary.remove();
    },
  };
}
