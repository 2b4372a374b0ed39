/**
 * Answers the probes of a load balancer, without a token.
 *
 * `/healthz` tells only that the server is running. `/readyz` tells whether to send requests here: without its database,
 * a server can still read, and if a load balancer removed all such servers, none would be left. So `/readyz` succeeds
 * as long as the server runs, and `/readyz?for=changes` tells whether it can also change files.
 */
import { type Refusal, type Reply, whyNotGet } from './reply.ts';
import type { Route } from './web-server.ts';

export const healthRoute: Route = {
  matches: (path) => path === '/healthz',
  serve: ({ reply }) => answerProbe(reply, 200, 'ok'),
};

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
      if (!forChanges || (await ask())) return answerProbe(reply, 200, 'ok');
      return answerProbe(reply, 503, 'no changes: the database cannot be reached');
    },
  };
}

function answerProbe(reply: Reply, status: 200 | 503, line: string): Refusal | undefined {
  const { request, response } = reply;
  const refusal = whyNotGet(request);
  if (refusal) return refusal;
  // A client without a token keeps no connection.
  response.shouldKeepAlive = false;
  const body = `${line}\n`;
  reply.head(status, {
    'Content-Type': 'text/plain',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  return undefined;
}
