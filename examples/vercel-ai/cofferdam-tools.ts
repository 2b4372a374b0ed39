/** Cofferdam's tools as those of the Vercel AI SDK. */
import { dynamicTool, jsonSchema, type ToolSet } from 'ai';
import type { ModelTools } from 'cofferdam';

export function toolSet({ declarations, call }: ModelTools): ToolSet {
  const tools = declarations.map(({ name, description, inputSchema }) => {
    const tool = dynamicTool({
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: (args, { abortSignal }) => call(name, args, { signal: abortSignal }),
      // The model reads the text, and sees when a call failed.
      toModelOutput: ({ output }) => {
        const { text, isError } = output as Awaited<ReturnType<typeof call>>;
        return { type: isError ? 'error-text' : 'text', value: text };
      },
    });
    return [name, tool] as const;
  });
  return Object.fromEntries(tools);
}
