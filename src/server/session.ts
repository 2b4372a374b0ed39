/** One client's conversation by the protocol library: tools/list and tools/call on its low-level server class. */
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Session, ToolContext } from '../dialects/dialect.ts';
import type { App, OfferedTool } from './app.ts';
import { disguised } from './exact-codes.ts';
import { callsGate, type Gate } from './gate.ts';
import { introduction } from './introduction.ts';
import { offeredTools, unknownTool } from './offered-tools.ts';
import { endState, perform, sessionIdOf } from './perform.ts';

export { callsGate, endState };

export interface SessionShares {
  /** What is kept between calls, when it lives longer than this conversation; whoever gives it ends it. */
  state?: Session;
  /** Shared with other conversations whose calls count together. */
  gate?: Gate;
}

export function createSession(app: App, { state, gate = callsGate() }: SessionShares = {}): Server {
  const tools = offeredTools(app);
  const session: Session = state ?? {};
  const { serverInfo, capabilities } = introduction(app);
  const server = new Server(serverInfo, { capabilities });
  let ended = false;
  if (state === undefined) {
    server.onclose = () => {
      ended = true;
      endState(session);
    };
  }
  server.setRequestHandler('tools/list', () => ({ tools: tools.shown }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name } = params;
    const found = tools.byName.get(name);
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(name, tools));
    try {
      return await gate.pass(() => answer(app, session, found, params.arguments, context));
    } finally {
      // A call that outlived the conversation may have left something behind.
      if (ended) endState(session);
    }
  });
  return server;
}

async function answer(app: App, state: Session, offered: OfferedTool, args: unknown, context: ServerContext) {
  const told = await perform({
    app,
    state,
    sessionId: sessionIdOf(state),
    offered,
    args,
    signal: context.mcpReq.signal,
    progress: progressTo(context),
  });
  if ('answer' in told) return { ...told.answer };
  throw new ProtocolError(disguised(told.error.code), told.error.message, told.error.data);
}

function progressTo(context: ServerContext): ToolContext['progress'] | undefined {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress, message) => {
    const params = { progressToken, progress, message };
    void context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
