/** Serves `--http`: MCP, the Tool Trace page and health checks, on one HTTP server. */
import { type McpOptions, McpRoute } from './http/mcp-route.ts';
import { ownSessions } from './http/sessions/own-sessions.ts';
import type { SessionStore } from './http/sessions/sessions.ts';
import { wellKnownRoute } from './http/well-known-route.ts';
import type { App } from './mcp/app.ts';
import { PageRoute } from './page/page-route.ts';
import type { PageSources } from './page/sources.ts';
import { healthRoute, readyRoute } from './web/probe-routes.ts';
import { WebServer, type WebServerOptions } from './web/web-server.ts';

export interface HttpOptions extends Omit<WebServerOptions, 'startPath' | 'log'>, Omit<McpOptions, 'store'> {
  /** Where sessions are stored. Default: in the memory of this process. */
  store?: SessionStore;
  /** What the Tool Trace page shows. Default: the page is not served. */
  page?: PageSources;
  /** Rejects while the server cannot change files. */
  requireChanges?(): Promise<void>;
}

export async function openHttpServer(app: App, options: HttpOptions): Promise<WebServer> {
  const { version, engine } = app;
  const { page: sources } = options;
  const server = new WebServer({ ...options, startPath: '/mcp', log: (line) => app.log(line) });
  const store = options.store ?? ownSessions();
  const page = sources && new PageRoute(server, { version, roots: engine.roots, sources, store });
  const mcp = new McpRoute(app, server, { ...options, store });
  await server.listen([
    healthRoute,
    readyRoute(options.requireChanges),
    wellKnownRoute(mcp.resources),
    ...(page ? [page] : []),
    mcp,
  ]);
  void mcp.resources?.problem().then((problem) => {
    if (problem !== undefined)
      app.log(`warning: ${problem}; until they can be fetched, requests with its tokens get 503`);
  });
  return server;
}
