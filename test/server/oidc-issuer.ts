/** oidc-provider as the authorization server: every user is anna, who consents to everything. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OidcIssuer {
  url: string;
  close(): Promise<void>;
}

interface Interaction {
  uid: string;
  prompt: {
    name: string;
    details: { missingResourceScopes?: Record<string, string[]>; missingOIDCScope?: string[] };
  };
  params: { client_id: string };
  session?: { accountId: string };
}

interface Grant {
  addResourceScope(resource: string, scope: string): void;
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

/** The part of the package that the test uses: the package has no types. */
interface Provider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  Grant: new (of: { accountId: string; clientId: string }) => Grant;
}

const SCOPES = 'files:read files:write files:run';

export async function openOidcIssuer(): Promise<OidcIssuer> {
  let serve: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const name = 'oidc-provider';
  const { Provider } = (await import(name)) as {
    Provider: new (issuer: string, options: object) => Provider;
  };
  const provider = new Provider(url, {
    scopes: ['openid', 'offline_access', ...SCOPES.split(' ')],
    cookies: { keys: ['a key of this test'] },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    interactions: { url: (_: unknown, { uid }: Interaction) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        getResourceServerInfo: (_: unknown, audience: string) => ({
          ...{ audience, scope: SCOPES, accessTokenFormat: 'jwt' },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const answer = provider.callback();
  serve = (request, response) => {
    if (!request.url!.startsWith('/interaction/')) return answer(request, response);
    return void consent(provider, request, response);
  };
  return { url, close: () => closeServer(server) };
}

async function consent(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'anna' } });
    return;
  }
  const grant = new provider.Grant({ accountId: session!.accountId, clientId: params.client_id });
  const { missingResourceScopes = {}, missingOIDCScope = [] } = prompt.details;
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, scopes.join(' '));
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Acts like a browser on the URL that a client opens: follows redirects, with cookies, until they leave the issuer. */
export async function visit(start: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hop = 0; hop < 20; hop++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const each of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    url = new URL(location, url);
    if (url.origin !== start.origin) return url;
  }
  throw new Error(`${start}: no end`);
}
