/**
 * What the protocol's own suite expects of a server: tools, resources and prompts with fixed names.
 *
 * It replaces the dialects behind the product's HTTP server. Only tests can do that.
 */
import {
  fromJsonSchema,
  InMemoryServerEventBus,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { addInputTools, inputState } from './conformance-input.ts';

/** An image of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A sound file with a header and no sound. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;
const text = (value: string) => ({ type: 'text', text: value }) as const;
const said = (value: string) => ({ content: [text(value)] });
const shortly = () => new Promise((resolve) => setTimeout(resolve, 50));

/** All requests share it, so that a stream of one request learns what another one does. */
export const changes = new InMemoryServerEventBus();

export function createFixture(): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: inputState.verify },
    },
  );
  addPlainTools(server);
  addTalkingTools(server);
  addAskingTools(server);
  addSchemaTools(server);
  addInputTools(server);
  addResources(server);
  addPrompts(server);
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park'], total: 2, hasMore: false },
  }));
  return server;
}

function addPlainTools(server: McpServer): void {
  const resource = (uri: string, mimeType: string, content: string) =>
    ({ type: 'resource', resource: { uri, mimeType, text: content } }) as const;
  const tool = (name: string, content: object[]) =>
    server.registerTool(name, { description: `Answers ${name}` }, () => ({ content: content as never }));
  tool('test_simple_text', [text('This is a simple text response for testing.')]);
  tool('test_image_content', [image]);
  tool('test_audio_content', [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]);
  tool('test_embedded_resource', [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ]);
  tool('test_multiple_content_types', [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ]);
  server.registerTool('test_error_handling', { description: 'Always fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool('test_streaming_elicitation', { description: 'Asks nothing' }, () =>
    said('nothing asked'),
  );
  server.registerTool('test_trigger_tool_change', { description: 'Says that tools have changed' }, () => {
    changes.publish({ kind: 'tools_list_changed' });
    return said('tools have changed');
  });
  server.registerTool('test_trigger_prompt_change', { description: 'Says that prompts have changed' }, () => {
    changes.publish({ kind: 'prompts_list_changed' });
    return said('prompts have changed');
  });
}

/** Tools that send notifications before they answer. */
function addTalkingTools(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description: 'Logs three times' }, async (context) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await context.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
      await shortly();
    }
    return said('logged');
  });
  server.registerTool('test_logging_tool', { description: 'Logs when asked to' }, async (context) => {
    await context.mcpReq.log('info', 'the tool ran');
    return said('logged when asked to');
  });
  server.registerTool('test_tool_with_progress', { description: 'Tells its progress' }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await context.mcpReq.notify({ method: 'notifications/progress', params });
      }
      await shortly();
    }
    return said('done');
  });
  server.registerTool('test_reconnection', { description: 'Answers after a moment' }, async () => {
    await shortly();
    return said('still the same stream');
  });
}

/** Tools that ask the client something while it waits, as clients with a session allow. */
function addAskingTools(server: McpServer): void {
  const oneText = (name: string) =>
    fromJsonSchema<Record<string, string>>({
      type: 'object',
      properties: { [name]: { type: 'string' } },
      required: [name],
    });
  const elicit = async (context: ServerContext, message: string, properties: object, required: string[]) => {
    const requestedSchema = { type: 'object', properties, required } as never;
    const { action, content } = await context.mcpReq.send({
      method: 'elicitation/create',
      params: { mode: 'form', message, requestedSchema },
    });
    return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
  };
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client', inputSchema: oneText('prompt') },
    async ({ prompt }, context) => {
      const messages = [{ role: 'user' as const, content: text(prompt!) }];
      const { content } = await context.mcpReq.send({
        method: 'sampling/createMessage',
        params: { messages, maxTokens: 100 },
      });
      return said(`LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user of the client', inputSchema: oneText('message') },
    ({ message }, context) =>
      elicit(context, message!, { username: { type: 'string' }, email: { type: 'string' } }, [
        'username',
        'email',
      ]),
  );
  server.registerTool('test_elicitation_sep1034_defaults', { description: 'Asks with defaults' }, (context) =>
    elicit(context, 'Please check these', withDefaults, []),
  );
  server.registerTool('test_elicitation_sep1330_enums', { description: 'Asks for choices' }, (context) =>
    elicit(context, 'Please choose', choices, []),
  );
}

const withDefaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const options = ['option1', 'option2', 'option3'];
const titled = (what: string) =>
  ['First', 'Second', 'Third'].map((nth, index) => ({ const: `value${index + 1}`, title: `${nth} ${what}` }));

const choices = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

/** Tools whose schemas must arrive unchanged. */
function addSchemaTools(server: McpServer): void {
  const string = { type: 'string' } as const;
  const inputSchema = fromJsonSchema({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } },
    },
    properties: {
      name: string,
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: string,
      email: string,
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema.
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  });
  server.registerTool('json_schema_2020_12_tool', { description: 'Has a rich schema', inputSchema }, () =>
    said('understood'),
  );
  server.registerTool(
    'test_x_mcp_header',
    {
      description: 'Repeats an argument in a header',
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
      } as object),
    },
    () => said('seen'),
  );
}

function addResources(server: McpServer): void {
  const about = (mimeType: string) => ({ description: 'A resource of the fixture', mimeType });
  server.registerResource('static-text', 'test://static-text', about('text/plain'), ({ href }) => ({
    contents: [
      { uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    ],
  }));
  server.registerResource('static-binary', 'test://static-binary', about('image/png'), ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PNG }],
  }));
  server.registerResource('watched', 'test://watched-resource', about('text/plain'), ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'watched' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, about('application/json'), ({ href }, { id }) => {
    const value = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(value) }] };
  });
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function addPrompts(server: McpServer): void {
  const user = (content: object) => ({ role: 'user' as const, content: content as never });
  const description = 'A prompt of the fixture';
  const twoTexts = fromJsonSchema<Record<string, string>>({
    type: 'object',
    properties: { arg1: { type: 'string' }, arg2: { type: 'string' } },
    required: ['arg1', 'arg2'],
  });
  const oneUri = fromJsonSchema<Record<string, string>>({
    type: 'object',
    properties: { resourceUri: { type: 'string' } },
    required: ['resourceUri'],
  });
  server.registerPrompt('test_simple_prompt', { description }, () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description, argsSchema: twoTexts },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: oneUri },
    ({ resourceUri }) => {
      const resource = { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content.' };
      return { messages: [user({ type: 'resource', resource }), user(text('Please process it.'))] };
    },
  );
  server.registerPrompt('test_prompt_with_image', { description }, () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }));
}
