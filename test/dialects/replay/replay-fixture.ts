/** A directory with replay's tools, for tests that check more than a tree of texts. */
import { join } from 'node:path';
import { callTool } from '../../../src/dialects/call.ts';
import type { ToolResult } from '../../../src/dialects/dialect.ts';
import { replay } from '../../../src/dialects/replay/index.ts';
import { anonymous, Engine } from '../../../src/engine/index.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';

export interface ReplayFixture {
  /** The directory that the server serves. `../outside` is next to it. */
  root: string;
  call(tool: string, args: unknown): Promise<ToolResult | { code: number; message: string }>;
  /** The text of an answer. Throws if the call fails. */
  text(tool: string, args: unknown): Promise<string>;
  /** The failure of a call. Throws if the call succeeds. */
  failure(tool: string, args: unknown): Promise<{ code: number; message: string }>;
  /** Everything on disk, the outside included. */
  everything(): Tree;
  close(): Promise<void>;
}

export function openReplayFixture(tree: Tree): ReplayFixture {
  const temporary = temporaryDirectory();
  const root = join(temporary.path, 'root');
  const home = join(temporary.path, 'home');
  layOut(root, { './': '', ...tree });
  const engine = new Engine({ roots: [{ path: root, writable: true }] });

  const call: ReplayFixture['call'] = async (name, args) => {
    const tool = replay.tools.find((each) => each.name === name)!;
    const outcome = await callTool(replay, tool, args, {
      engine,
      caller: anonymous,
      session: {},
      signal: new AbortController().signal,
      home,
      settings: {},
      progress: () => {},
    });
    return 'error' in outcome ? outcome.error : outcome.result;
  };

  return {
    root,
    call,
    async text(tool, args) {
      const outcome = await call(tool, args);
      if ('code' in outcome) throw new Error(`${tool}: ${outcome.code} ${outcome.message}`);
      return outcome.content.map((item) => (item.type === 'text' ? item.text : '')).join('\n');
    },
    async failure(tool, args) {
      const outcome = await call(tool, args);
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
