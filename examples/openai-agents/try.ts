/** Runs the agent with a model that follows a script, without a network: `node try.js DIRECTORY`. */
import { type Model, type ModelResponse, setTracingDisabled, Usage } from '@openai/agents';
import { work } from './agent.ts';

const [directory = '.'] = process.argv.slice(2);
// The SDK would send its own trace to OpenAI.
setTracingDisabled(true);

const script = [
  { name: 'grep_files', args: { pattern: 'Hello' } },
  { name: 'edit_file', args: { path: 'greet.txt', edits: [{ oldText: 'Hello', newText: 'Welcome' }] } },
  { name: 'read_text_file', args: { path: '.env' } },
];

let step = 0;

const model: Model = {
  async getResponse({ input }): Promise<ModelResponse> {
    const last = typeof input === 'string' ? undefined : input.at(-1);
    if (last?.type === 'function_call_result') console.log(JSON.stringify(last.output));
    const call = script[step];
    step += 1;
    const usage = new Usage();
    if (call) {
      const { name, args } = call;
      const made = {
        type: 'function_call',
        callId: `call-${step}`,
        name,
        arguments: JSON.stringify(args),
      } as const;
      return { usage, output: [{ ...made, status: 'completed' }] };
    }
    const content = [{ type: 'output_text' as const, text: 'It says Welcome now.' }];
    return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
  },
  getStreamedResponse() {
    throw new Error('the script does not stream');
  },
};

console.log(await work(model, directory, 'Greet more warmly.'));
