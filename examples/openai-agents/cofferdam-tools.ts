/** Cofferdam's tools as those of the OpenAI Agents SDK. */
import { type Tool, tool } from '@openai/agents';
import type { ModelTools } from 'cofferdam';

export function agentTools({ declarations, call }: ModelTools): Tool[] {
  return declarations.map(({ name, description, inputSchema }) =>
    tool({
      name,
      description,
      // Arguments may be left out: the SDK's strict mode wants all of them.
      strict: false,
      parameters: { required: [], ...inputSchema, additionalProperties: true },
      execute: async (args, _context, details) => {
        const { text } = await call(name, args, { signal: details?.signal });
        return text;
      },
    }),
  );
}
