/** One client's session on the protocol library's low-level server class: tools/list and tools/call. */
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Session, ToolContext } from '../../dialects/dialect.ts';
import type { App } from './app.ts';
import { type ConcurrencyLimit, newCallLimit } from './concurrency-limit.ts';
import { disguised } from './exact-codes.ts';
import { serverDescription } from './initialize.ts';
import { offeredTools, unknownTool } from './offered-tools.ts';
import { type Call, perform } from './perform.ts';
import { traceUnknownTool } from './refused-calls.ts';
import { addResources } from './resources/library-resources.ts';
import { endState, sessionIdOf } from './session-state.ts';

export interface SessionShares {
  /** State that outlives this session; the caller ends it. */
  state?: Session;
  /** Shared with the other sessions of the same token. */
  callLimit?: ConcurrencyLimit;
  /** The session's id in the trace, where the caller needs it too. */
  id?: string;
}

export function createSession(
  app: App,
  { state, callLimit = newCallLimit(), id }: SessionShares = {},
): Server {
  const tools = offeredTools(app);
  const session: Session = state ?? {};
  const sessionId = id ?? sessionIdOf(session);
  const { serverInfo, ...described } = serverDescription(app);
  const server = new Server(serverInfo, described);
  const about = addResources(server, { app, sessionId, callLimit });
  let ended = false;
  server.onclose = () => {
    about?.end();
    if (state !== undefined) return;
    ended = true;
    endState(session);
  };
  server.setRequestHandler('tools/list', () => ({ tools: tools.shown }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name } = params;
    const found = tools.byName.get(name);
    if (!found) {
      const message = unknownTool(name, tools);
      traceUnknownTool(app, sessionId, { ...params, _meta: context.mcpReq._meta }, message);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    const call = {
      app,
      state: session,
      sessionId,
      offered: found,
      args: params.arguments,
      roots: about?.roots,
    };
    try {
      return await callLimit.run(() => answer(call, context));
    } finally {
      // A call that outlived the session may have opened a workspace.
      if (ended) endState(session);
    }
  });
  return server;
}

async function answer(call: Omit<Call, 'signal'>, context: ServerContext) {
  const outcome = await perform({
    ...call,
    signal: context.mcpReq.signal,
    meta: context.mcpReq._meta,
    progress: progressTo(context),
  });
  if ('result' in outcome) return { ...outcome.result };
  throw new ProtocolError(disguised(outcome.error.code), outcome.error.message, outcome.error.data);
}

function progressTo(context: ServerContext): ToolContext['progress'] | undefined {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress, message) => {
    const params = { progressToken, progress, message };
    void context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
