/**
 * Serves everything below `.well-known`, where clients look for an authorization server. If the operator trusts one,
 * they find the metadata of the endpoints. Everything else is 404, with or without a token.
 */
import type { ProtectedResources } from '../oauth/protected-resource.ts';
import { refuseAndClose } from '../web/admission.ts';
import { type Refusal, type Reply, whyNotGet } from '../web/reply.ts';
import { NOT_FOUND, type Route } from '../web/web-server.ts';
import { isWellKnown } from './address.ts';

/** The metadata is public, and web pages of any origin may need it. */
const HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300' };

export function wellKnownRoute(resources: ProtectedResources | undefined): Route {
  return {
    matches: isWellKnown,
    serve: ({ reply, path }) => {
      const metadata = resources?.metadataAt(path);
      return metadata ? sendMetadata(reply, metadata) : refuseAndClose(reply, NOT_FOUND);
    },
  };
}

function sendMetadata(reply: Reply, metadata: object): Refusal | undefined {
  const { request, response } = reply;
  // A client without a token keeps no connection.
  response.shouldKeepAlive = false;
  const refusal = whyNotGet(request);
  if (refusal) return refusal;
  reply.json(200, JSON.stringify(metadata), HEADERS);
  return undefined;
}
