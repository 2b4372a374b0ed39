/** Tools and a prompt of the conformance fixture that first answer with questions, as protocol 2026-07-28 defines. */
import { randomUUID } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';

interface State {
  [key: string]: unknown;
  tool: string;
  round: number;
}

/** Signs the state that the client gets and sends back. */
export const inputState = createRequestStateCodec<State>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

const said = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const sealed = (tool: string, round = 1) => inputState.mint({ tool, round, nonce: randomUUID() });

const askFor = (field: string, type: 'string' | 'boolean', message: string) => {
  const requested = type === 'string' ? { type } : { type };
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: requested }, required: [field] },
  });
};
const askModel = (text: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens: 50,
  });

function accepted(context: ServerContext, key: string, field: string): unknown {
  return acceptedContent<Record<string, unknown>>(context.mcpReq.inputResponses, key)?.[field];
}

function answered(context: ServerContext, key: string): Record<string, unknown> | undefined {
  return context.mcpReq.inputResponses?.[key] as Record<string, unknown> | undefined;
}

export function addInputTools(server: McpServer): void {
  addSingleQuestions(server);
  addStatefulQuestions(server);
  addCapabilityQuestions(server);
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks before it answers' },
    // A prompt without arguments gets only the context.
    (given: unknown) => {
      const context = accepted(given as ServerContext, 'user_context', 'context');
      if (context === undefined)
        return inputRequired({
          inputRequests: { user_context: askFor('context', 'string', 'What context should be used?') },
        });
      return { messages: [{ role: 'user', content: { type: 'text', text: `Use ${String(context)}` } }] };
    },
  );
}

function addSingleQuestions(server: McpServer): void {
  server.registerTool(
    'test_input_required_result_elicitation',
    { description: 'Asks for a name' },
    (context) => {
      const name = accepted(context, 'user_name', 'name');
      if (typeof name === 'string') return said(`Hello, ${name}!`);
      return inputRequired({ inputRequests: { user_name: askFor('name', 'string', 'What is your name?') } });
    },
  );
  server.registerTool('test_input_required_result_sampling', { description: 'Asks the model' }, (context) => {
    const answer = answered(context, 'capital_question');
    if (answer) return said(`The model says ${JSON.stringify(answer.content)}`);
    return inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?') } });
  });
  server.registerTool(
    'test_input_required_result_list_roots',
    { description: 'Asks for roots' },
    (context) => {
      const answer = answered(context, 'client_roots');
      if (Array.isArray(answer?.roots)) return said(`The roots are ${JSON.stringify(answer.roots)}`);
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    },
  );
}

function addStatefulQuestions(server: McpServer): void {
  for (const name of ['request_state', 'tampered_state']) {
    server.registerTool(
      `test_input_required_result_${name}`,
      { description: 'Asks, and knows its own state again' },
      async (context) => {
        const confirmed = accepted(context, 'confirm', 'ok') !== undefined;
        const state = context.mcpReq.requestState<State>();
        if (confirmed && state === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The state is missing');
        if (confirmed) return said('state-ok');
        return inputRequired({
          inputRequests: { confirm: askFor('ok', 'boolean', 'Please confirm') },
          requestState: await sealed(name),
        });
      },
    );
  }
  server.registerTool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks three things at once' },
    async (context) => {
      const name = accepted(context, 'user_name', 'name');
      if (name !== undefined && answered(context, 'greeting') && answered(context, 'client_roots'))
        return said(`All is known of ${String(name)}`);
      return inputRequired({
        inputRequests: {
          user_name: askFor('name', 'string', 'What is your name?'),
          greeting: askModel('Generate a greeting'),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await sealed('multiple_inputs'),
      });
    },
  );
  server.registerTool(
    'test_input_required_result_multi_round',
    { description: 'Asks one thing after the other' },
    async (context) => {
      const round = context.mcpReq.requestState<State>()?.round ?? 0;
      if (round >= 2) return said(`The colour is ${String(accepted(context, 'step2', 'color'))}`);
      const question =
        round === 0
          ? { step1: askFor('name', 'string', 'Step 1: What is your name?') }
          : { step2: askFor('color', 'string', 'Step 2: What is your favorite color?') };
      return inputRequired({
        inputRequests: question as InputRequests,
        requestState: await sealed('multi_round', round + 1),
      });
    },
  );
}

/** Questions that depend on what the client can answer. */
function addCapabilityQuestions(server: McpServer): void {
  server.registerTool('test_missing_capability', { description: 'Needs sampling' }, (context) => {
    if (answered(context, 'answer')) return said('answered');
    return inputRequired({ inputRequests: { answer: askModel('Say yes') } });
  });
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks only what the client can answer' },
    (context) => {
      if (context.mcpReq.inputResponses !== undefined) return said('answered');
      const envelope = context.mcpReq.envelope as Record<string, ClientCapabilities> | undefined;
      const can = envelope?.[CLIENT_CAPABILITIES_META_KEY];
      const inputRequests: InputRequests = {
        ...(can?.elicitation && { user_name: askFor('name', 'string', 'What is your name?') }),
        ...(can?.sampling && { greeting: askModel('Generate a greeting') }),
        ...(can?.roots && { client_roots: inputRequired.listRoots() }),
      };
      return Object.keys(inputRequests).length > 0
        ? inputRequired({ inputRequests })
        : said('nothing to ask');
    },
  );
}
