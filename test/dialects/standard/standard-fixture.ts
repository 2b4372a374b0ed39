/** A directory with the standard dialect's tools, and a small budget. */
import { join } from 'node:path';
import { callTool } from '../../../src/dialects/call.ts';
import type { Session } from '../../../src/dialects/dialect.ts';
import { standard } from '../../../src/dialects/standard/index.ts';
import { anonymous, Engine } from '../../../src/engine/index.ts';
import { layOut, type Tree, temporaryDirectory } from '../../tree.ts';

export interface StandardFixture {
  root: string;
  /** The texts of an answer, one for each content item. Throws if the call fails. */
  call(tool: string, args: Record<string, unknown>, maxTokens: number): Promise<string[]>;
  close(): Promise<void>;
}

export function openStandardFixture(tree: Tree): StandardFixture {
  const temporary = temporaryDirectory();
  const state = temporaryDirectory();
  const root = join(temporary.path, 'root');
  layOut(root, { './': '', ...tree });
  const engine = new Engine({ roots: [{ path: root, writable: true }], journal: state.path });
  const session: Session = {};
  return {
    root,
    async call(name, args, maxTokens) {
      const tool = standard.tools.find((each) => each.name === name)!;
      const signal = new AbortController().signal;
      const context = {
        engine,
        caller: anonymous,
        session,
        signal,
        home: '/',
        settings: {},
        maxTokens,
        progress: () => {},
      };
      const outcome = await callTool(standard, tool, args, context);
      if ('error' in outcome) throw new Error(outcome.error.message);
      const texts = outcome.result.content.map((item) => (item.type === 'text' ? item.text : ''));
      if (outcome.result.isError) throw new Error(texts.join('\n'));
      return texts;
    },
    async close() {
      await engine.close();
      temporary.remove();
      state.remove();
    },
  };
}
