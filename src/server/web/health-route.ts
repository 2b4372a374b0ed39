/** Serves `/healthz`, which tells a load balancer only that the server is running. It needs no token. */
import { type Refusal, type Reply, whyNotGet } from './reply.ts';
import type { Route } from './web-server.ts';

export const healthRoute: Route = {
  matches: (path) => path === '/healthz',
  serve: ({ reply }) => answerHealth(reply),
};

function answerHealth(reply: Reply): Refusal | undefined {
  const { request, response } = reply;
  const refusal = whyNotGet(request);
  if (refusal) return refusal;
  // A client without a token keeps no connection.
  response.shouldKeepAlive = false;
  reply.head(200, { 'Content-Type': 'text/plain', 'Content-Length': 3, 'Cache-Control': 'no-store' });
  response.end('ok\n');
  return undefined;
}
