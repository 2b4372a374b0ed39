/** An agent of the OpenAI Agents SDK that works on one directory. */
import { Agent, type Model, run } from '@openai/agents';
import { open } from 'cofferdam';
import { agentTools } from './cofferdam-tools.ts';

/** `model` is a name, as `'gpt-5'`, or a model of your own. */
export async function work(model: string | Model, directory: string, prompt: string): Promise<string> {
  await using files = await open(directory, { deny: ['secrets'] });
  const offered = await files.tools();
  const agent = new Agent({
    name: 'Files',
    instructions: offered.instructions,
    model,
    tools: agentTools(offered),
  });
  const { finalOutput = '' } = await run(agent, prompt, { maxTurns: 20 });
  return finalOutput;
}
