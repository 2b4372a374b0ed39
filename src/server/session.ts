/** One client's conversation: tools/list and tools/call on the protocol's low-level server class. */
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { callTool } from '../dialects/call.ts';
import type { Session, ToolContext } from '../dialects/dialect.ts';
import { type App, contextFor, type OfferedTool, offerTools } from './app.ts';
import { disguised } from './exact-codes.ts';
import { Gate } from './gate.ts';

/** Each call may hold a few descriptors and buffers: a flood of calls waits instead of taking them all. */
const CALLS_AT_ONCE = 64;

export interface SessionShares {
  /** What is kept between calls, when it lives longer than this conversation; whoever gives it ends it. */
  state?: Session;
  /** Shared with other conversations whose calls count together. */
  gate?: Gate;
}

export function createSession(app: App, { state, gate = callsGate() }: SessionShares = {}): Server {
  const { offered, listed } = toolsOf(app);
  const session: Session = state ?? {};
  const server = new Server(
    { name: 'cofferdam', title: 'Cofferdam', version: app.version },
    { capabilities: { tools: {} } },
  );
  let ended = false;
  if (state === undefined) {
    server.onclose = () => {
      ended = true;
      endState(session);
    };
  }
  server.setRequestHandler('tools/list', () => ({ tools: listed }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const found = offered.get(params.name);
    if (!found) throw unknownTool(params.name, [...offered.keys()]);
    try {
      return await gate.pass(() => answer(app, session, found, params.arguments, context));
    } finally {
      // A call that outlived the conversation may have left something behind.
      if (ended) endState(session);
    }
  });
  return server;
}

export function callsGate(): Gate {
  return new Gate(CALLS_AT_ONCE);
}

/** Gives back what a conversation kept. */
export function endState(state: Session): void {
  const { workspace } = state;
  delete state.workspace;
  void workspace?.close();
}

interface ServedTools {
  offered: ReadonlyMap<string, OfferedTool>;
  listed: ReturnType<typeof describeTool>[];
}

const served = new WeakMap<App, ServedTools>();

/** Worked out once for all conversations: over HTTP there may be one for each request. */
function toolsOf(app: App): ServedTools {
  let tools = served.get(app);
  if (!tools) {
    const offered = offerTools(app.dialects);
    tools = { offered, listed: [...offered.values()].map(describeTool) };
    served.set(app, tools);
  }
  return tools;
}

async function answer(
  app: App,
  session: Session,
  { tool, dialect }: OfferedTool,
  args: unknown,
  context: ServerContext,
) {
  const told = await callTool(dialect, tool, args, {
    ...contextFor(app, session, context.mcpReq.signal),
    progress: progressTo(context),
  }).catch((error: unknown) => {
    const who = app.who === undefined ? '' : ` for ${app.who}`;
    app.log(`${tool.name}${who}: unexpected ${error instanceof Error ? error.stack : String(error)}`);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `Internal error in ${tool.name}`);
  });
  if ('answer' in told) return { ...told.answer };
  throw new ProtocolError(disguised(told.error.code), told.error.message, told.error.data);
}

function progressTo(context: ServerContext): ToolContext['progress'] {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  return (progress, message) => {
    const params = { progressToken, progress, message };
    void context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function describeTool({ name, tool }: OfferedTool) {
  const { title, description, hints, input } = tool;
  return {
    name,
    title,
    description,
    inputSchema: input as unknown as { type: 'object' },
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

function unknownTool(name: string, known: readonly string[]): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${name}. The tools are: ${known.join(', ')}`,
  );
}
