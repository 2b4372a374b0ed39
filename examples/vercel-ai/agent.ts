/** An agent of the Vercel AI SDK that works on one directory. */
import { generateText, type LanguageModel, stepCountIs } from 'ai';
import { open } from 'cofferdam';
import { toolSet } from './cofferdam-tools.ts';

/** `model` is any of the SDK: `'anthropic/claude-sonnet-4.5'`, `openai('gpt-5')`, … */
export async function work(model: LanguageModel, directory: string, prompt: string): Promise<string> {
  await using files = await open(directory, { deny: ['secrets'] });
  const offered = await files.tools();
  const { text } = await generateText({
    model,
    system: offered.instructions,
    prompt,
    tools: toolSet(offered),
    stopWhen: stepCountIs(20),
  });
  return text;
}
