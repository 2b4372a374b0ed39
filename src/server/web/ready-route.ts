/**
 * Serves `/readyz`, which tells a load balancer whether to send requests here. It needs no token.
 *
 * Without its database, a server can still read. If a load balancer removed all such servers, none would be left. So
 * `/readyz` succeeds as long as the server runs, and `/readyz?for=changes` tells whether it can also change files.
 */
import { type Refusal, type Reply, whyNotGet } from './reply.ts';
import type { Route } from './web-server.ts';

/** The server asks the database at most this often, however many requests there are. */
const ASK_EVERY_MS = 1000;

export function readyRoute(requireChanges: () => Promise<void> = async () => {}): Route {
  let askedAt = Number.NEGATIVE_INFINITY;
  let canChange: Promise<boolean> = Promise.resolve(true);
  const ask = () => {
    if (performance.now() - askedAt >= ASK_EVERY_MS) {
      askedAt = performance.now();
      canChange = requireChanges().then(
        () => true,
        () => false,
      );
    }
    return canChange;
  };
  return {
    matches: (path) => path === '/readyz',
    serve: async ({ reply, query }) => {
      const forChanges = new URLSearchParams(query).get('for') === 'changes';
      return answer(reply, !forChanges || (await ask()));
    },
  };
}

function answer({ request, response }: Reply, isReady: boolean): Refusal | undefined {
  const refusal = whyNotGet(request);
  if (refusal) return refusal;
  // A client without a token keeps no connection.
  response.shouldKeepAlive = false;
  const body = isReady ? 'ok\n' : 'no changes: the database cannot be reached\n';
  const headers = {
    'Content-Type': 'text/plain',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  };
  response.writeHead(isReady ? 200 : 503, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
  return undefined;
}
