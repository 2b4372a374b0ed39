/** Runs the agent with a model that follows a script, without a network: `node try.js DIRECTORY`. */
import { MockLanguageModelV3 } from 'ai/test';
import { work } from './agent.ts';

const [directory = '.'] = process.argv.slice(2);

const script = [
  { toolName: 'grep_files', input: { pattern: 'Hello' } },
  { toolName: 'edit_file', input: { path: 'greet.txt', edits: [{ oldText: 'Hello', newText: 'Welcome' }] } },
  { toolName: 'read_text_file', input: { path: '.env' } },
];

const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { inputTokens: none, outputTokens: { total: 0, text: 0, reasoning: 0 } };

const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const step = prompt.filter(({ role }) => role === 'tool').length;
    const last = prompt.at(-1);
    if (last?.role === 'tool') for (const part of last.content) console.log(JSON.stringify(part));
    const call = script[step];
    const base = { usage, warnings: [] };
    if (!call) {
      const finishReason = { unified: 'stop', raw: undefined } as const;
      return { ...base, finishReason, content: [{ type: 'text', text: 'It says Welcome now.' }] };
    }
    const finishReason = { unified: 'tool-calls', raw: undefined } as const;
    const { toolName, input } = call;
    const content = {
      type: 'tool-call',
      toolCallId: `call-${step}`,
      toolName,
      input: JSON.stringify(input),
    } as const;
    return { ...base, finishReason, content: [content] };
  },
});

console.log(await work(model, directory, 'Greet more warmly.'));
