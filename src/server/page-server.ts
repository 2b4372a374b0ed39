/** Serves `trace --web`: only the Tool Trace page, only on this machine, with the events of all servers of this user. */
import { ownSessions } from './http/sessions/own-sessions.ts';
import { PageRoute } from './page/page-route.ts';
import type { PageSources } from './page/sources.ts';
import type { HttpLimits } from './web/limits.ts';
import { fullGrant, newToken } from './web/tokens/tokens.ts';
import { WebServer } from './web/web-server.ts';

const CONNECTIONS = 64;

export interface PageOptions {
  sources: PageSources;
  version: string;
  /** Default: the system chooses a free port. */
  port?: number;
  /** Default: the server makes one. */
  token?: string;
  limits?: Partial<HttpLimits>;
  /** The directory of the built page. Default: the one next to the program. */
  directory?: string;
  log(line: string): void;
}

export async function openPageServer(options: PageOptions): Promise<WebServer> {
  const { sources, version, port = 0, token = newToken(), limits, directory, log } = options;
  const server = new WebServer({
    host: '127.0.0.1',
    port,
    // Browsers never send the part after the `#`, so the token stays out of requests and logs.
    startPath: `/#token=${encodeURIComponent(token)}`,
    grants: [fullGrant(token)],
    limits: { connections: CONNECTIONS, ...limits },
    log,
  });
  await server.listen([
    new PageRoute(server, {
      sources,
      version,
      store: ownSessions(),
      ...(directory !== undefined && { directory }),
    }),
  ]);
  return server;
}
