/** Adds resources and the client's roots to a session on the protocol library. */
import { ProtocolError, type Server } from '@modelcontextprotocol/server';
import type { App } from '../app.ts';
import { ClientRoots, followsRoots } from '../client-roots.ts';
import type { ConcurrencyLimit } from '../concurrency-limit.ts';
import { disguised } from '../library/exact-codes.ts';
import type { SessionMemory } from '../library/session.ts';
import { HANDSHAKE_VERSIONS } from '../messages/handshake-versions.ts';
import { INVALID_PARAMS, type Params, RESOURCE_NOT_FOUND } from '../messages/json-rpc.ts';
import { RESOURCE_METHODS, resourceDialect } from './resource-methods.ts';
import { SessionResources } from './session-resources.ts';

export interface AddedResources {
  roots: ClientRoots | undefined;
  /** Where servers share the session: asks the client for its roots, unless it has named them to one of the servers. */
  askOnce(): void;
  end(): void;
}

interface Shares {
  app: App;
  sessionId: string;
  callLimit: ConcurrencyLimit;
  memory: SessionMemory | undefined;
}

/** Undefined if no dialect serves resources or follows roots. */
export function addResources(
  server: Server,
  { app, sessionId, callLimit, memory }: Shares,
): AddedResources | undefined {
  const dialect = resourceDialect(app);
  const follows = followsRoots(app);
  if (!dialect && !follows) return undefined;
  const roots = follows
    ? new ClientRoots(
        app,
        () => server.listRoots(),
        () => resources?.rootsChanged(),
        async (paths) => memory?.rootsNamed(paths),
      )
    : undefined;
  const ask = () => {
    if (roots && hasRoots(server)) roots.refresh();
  };
  if (roots) followRoots(server, ask, memory);
  if (roots) memory?.follow(roots);
  const askOnce = () => {
    if (memory && roots && !roots.isAsked) ask();
  };
  const notify = (method: string, params?: Params) =>
    void server.notification({ method, ...(params && { params }) } as never).catch(() => {});
  const resources = dialect && new SessionResources({ app, sessionId, roots, notify }, dialect);
  for (const method of resources ? RESOURCE_METHODS : []) {
    server.setRequestHandler(method, async ({ params = {} }, { mcpReq: { signal } }) => {
      askOnce();
      const outcome = await callLimit.run(() =>
        resources!.answer({ method, params: params as Params, signal }),
      );
      if ('result' in outcome) return outcome.result as never;
      const { code, message, data } = outcome.error;
      throw new ProtocolError(disguised(codeIn(server, code)), message, data);
    });
  }
  return {
    roots,
    askOnce,
    end: () => {
      resources?.end();
      roots?.end();
    },
  };
}

function followRoots(server: Server, ask: () => void, memory: SessionMemory | undefined): void {
  server.oninitialized = ask;
  server.setNotificationHandler('notifications/roots/list_changed', async () => {
    await memory?.rootsChanged().catch(() => {});
    ask();
  });
}

function hasRoots(server: Server): boolean {
  return server.getClientCapabilities()?.roots !== undefined && hasHandshake(server);
}

/** The protocol version without a handshake uses another code for a missing resource. */
function codeIn(server: Server, code: number): number {
  return code === RESOURCE_NOT_FOUND && !hasHandshake(server) ? INVALID_PARAMS : code;
}

function hasHandshake(server: Server): boolean {
  return HANDSHAKE_VERSIONS.includes(server.getNegotiatedProtocolVersion() ?? '');
}
