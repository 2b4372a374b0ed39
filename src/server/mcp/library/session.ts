/** Sets up one client's session on the protocol library's low-level server class: its tools and its resources. */
import {
  type CallToolRequest,
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Session } from '../../../dialects/dialect.ts';
import type { App } from '../app.ts';
import type { ClientRoots } from '../client-roots.ts';
import { type ConcurrencyLimit, newCallLimit } from '../concurrency-limit.ts';
import { serverDescription } from '../messages/initialize.ts';
import { progressSender } from '../messages/progress-sender.ts';
import { addResources } from '../resources/library-resources.ts';
import { endState, sessionIdOf } from '../session-state.ts';
import { ToolCalls } from '../tools/tool-calls.ts';
import { listedTools } from '../views/client-views.ts';
import { disguised } from './exact-codes.ts';

export interface SessionShares {
  /** State that outlives this session; the caller ends it. */
  state?: Session;
  /** The limit that all sessions of the same token share. */
  callLimit?: ConcurrencyLimit;
  /** The session's id in the trace, where the caller needs it too. */
  id?: string;
  /** Set where several servers share the session. */
  memory?: SessionMemory;
}

/** Stores what a session must remember, so that any server can handle its next request. */
export interface SessionMemory {
  /** Settles when everything that a call may have changed in the session is stored. */
  callEnded(): Promise<void>;
  follow(roots: ClientRoots): void;
  rootsNamed(paths: readonly string[]): Promise<void>;
  rootsChanged(): Promise<void>;
}

export function createSession(
  app: App,
  { state, callLimit = newCallLimit(), id, memory }: SessionShares = {},
): Server {
  const session: Session = state ?? {};
  const sessionId = id ?? sessionIdOf(session);
  const { serverInfo, ...described } = serverDescription(app);
  const server = new Server(serverInfo, described);
  const added = addResources(server, { app, sessionId, callLimit, memory });
  let ended = false;
  server.onclose = () => {
    added?.end();
    if (state !== undefined) return;
    ended = true;
    endState(session);
  };
  const announced = (context: ServerContext) => capabilitiesIn(context) ?? server.getClientCapabilities();
  server.setRequestHandler('tools/list', (_, context) => ({ tools: listedTools(app, announced(context)) }));
  const roots = added?.roots;
  const calls = new ToolCalls({
    ...{ app, state: session, sessionId, callLimit, roots },
    isEnded: () => ended,
    capabilities: () => server.getClientCapabilities(),
    ...(added && { beforeCall: () => added.askOnce() }),
    ...(memory && { afterCall: () => memory.callEnded() }),
  });
  callsOf.set(server, calls);
  server.setRequestHandler('tools/call', ({ params }, context) => answer(calls, params, context));
  return server;
}

const callsOf = new WeakMap<object, ToolCalls>();

/**
 * The tool calls of a session, for a transport that has checked a call already: the library would check it again, which
 * takes longer than reading a small file. Undefined for a server that `createSession` did not make.
 */
export function toolCallsOf(server: object): ToolCalls | undefined {
  return callsOf.get(server);
}

async function answer(calls: ToolCalls, params: CallToolRequest['params'], context: ServerContext) {
  const outcome = await calls.call(params, {
    signal: context.mcpReq.signal,
    meta: context.mcpReq._meta,
    capabilities: capabilitiesIn(context),
    progress: progressSender(
      context.mcpReq._meta,
      (notification) => void context.mcpReq.notify(notification).catch(() => {}),
    ),
  });
  if ('result' in outcome) return { ...outcome.result };
  throw new ProtocolError(disguised(outcome.error.code), outcome.error.message, outcome.error.data);
}

/** The client's capabilities in a request: clients of the version without a handshake send them each time. */
function capabilitiesIn({ mcpReq: { envelope } }: ServerContext): unknown {
  return (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
}
