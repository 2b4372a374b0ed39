/** Parses the options of the HTTP server. */

import { isSafeUrl, type OAuthSettings } from '../../../server/oauth/settings.ts';
import type { HttpSettings } from '../../../server/start-http.ts';
import { asOrigin, isHostName } from '../../../server/web/host-and-origin.ts';
import { UsageError } from '../../usage-error.ts';
import { wholeNumberOf } from './option-value.ts';
import { sizeOf } from './state-flags.ts';

export interface HttpValues {
  http?: string | undefined;
  'token-file'?: string | undefined;
  'new-token'?: boolean | undefined;
  'oauth-issuer'?: string | undefined;
  'public-url'?: string | undefined;
  'oauth-audience'?: string | undefined;
  'oauth-scope-claim'?: string | undefined;
  'tls-cert'?: string | undefined;
  'tls-key'?: string | undefined;
  'http-calls'?: string | undefined;
  'http-body'?: string | undefined;
  'allow-host'?: string[] | undefined;
  'allow-origin'?: string[] | undefined;
}

const NEED_HTTP = [
  ...['token-file', 'new-token', 'tls-cert', 'tls-key'],
  ...['oauth-issuer', 'public-url', 'oauth-audience', 'oauth-scope-claim'],
  ...['http-calls', 'http-body', 'allow-host', 'allow-origin'],
] as const;
const MOST_CALLS = 100_000;
/** The same as the longest line on stdio. */
const MOST_BODY_BYTES = 256 * 1024 * 1024;

/** Whether an option means nothing without --http. */
export function needsHttp(name: string): boolean {
  return (NEED_HTTP as readonly string[]).includes(name);
}

export function parseHttp(values: HttpValues): HttpSettings | undefined {
  if (values.http === undefined) {
    const alone = NEED_HTTP.find((name) => values[name] !== undefined);
    if (alone) throw new UsageError(`--${alone} is for a server over HTTP: --http [HOST:]PORT`);
    return undefined;
  }
  const { 'token-file': tokenFile, 'tls-cert': certFile, 'tls-key': keyFile } = values;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new UsageError('--tls-cert and --tls-key belong together');
  const { 'http-calls': calls, 'http-body': body } = values;
  const newToken = values['new-token'] === true;
  if (newToken && tokenFile !== undefined)
    throw new UsageError('--new-token and --token-file exclude each other');
  const oauth = parseOAuth(values);
  return {
    ...parseAddress(values.http),
    ...(oauth && { oauth }),
    newToken,
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(certFile === undefined || keyFile === undefined ? {} : { tls: { certFile, keyFile } }),
    ...(calls === undefined ? {} : { calls: wholeNumberOf('http-calls', calls, 1, MOST_CALLS) }),
    ...(body === undefined ? {} : { bodyBytes: parseBody(body) }),
    allowHosts: (values['allow-host'] ?? []).map(checkHost),
    allowOrigins: (values['allow-origin'] ?? []).map(checkOrigin),
  };
}

/** `PORT-PORT` means the first free port of that range. */
function parseAddress(text: string): { host: string; port: number; lastPort?: number } {
  const parts = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]+)):)?(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
  const port = Number(parts?.[3]);
  const lastPort = Number(parts?.[4] ?? port);
  if (!parts || lastPort > 65535 || lastPort < port)
    throw new UsageError(`--http ${text}: give [HOST:]PORT, such as 8080, 127.0.0.1:8080 or [::1]:8080`);
  const host = parts[1] ?? parts[2] ?? '127.0.0.1';
  return { host, port, ...(lastPort !== port && { lastPort }) };
}

function parseBody(text: string): number {
  const bytes = sizeOf(text) ?? 0;
  if (bytes >= 1024 && bytes <= MOST_BODY_BYTES) return bytes;
  throw new UsageError(`--http-body ${text}: give a size from 1KiB to 256MiB, such as 32MiB`);
}

function checkHost(text: string): string {
  if (isHostName(text)) return text;
  throw new UsageError(`--allow-host ${text}: give a host name, with or without :PORT`);
}

function checkOrigin(text: string): string {
  const origin = asOrigin(text);
  if (origin !== undefined) return origin;
  throw new UsageError(`--allow-origin ${text}: give one origin, such as https://app.example`);
}

function parseOAuth(values: HttpValues): OAuthSettings | undefined {
  const { 'oauth-issuer': issuer, 'public-url': publicUrl } = values;
  const { 'oauth-audience': audience, 'oauth-scope-claim': scopeClaim } = values;
  if (issuer === undefined) {
    const alone = (['public-url', 'oauth-audience', 'oauth-scope-claim'] as const).find(
      (name) => values[name] !== undefined,
    );
    if (alone)
      throw new UsageError(`--${alone} is for tokens of an authorization server: --oauth-issuer URL`);
    return undefined;
  }
  if (publicUrl === undefined)
    throw new UsageError('--oauth-issuer needs --public-url URL: the address that clients connect to');
  return {
    // The issuer must equal the one in the tokens character by character, so keep the text as the operator wrote it.
    issuer: checkUrl('oauth-issuer', issuer).text,
    publicUrl: endpointBase(checkUrl('public-url', publicUrl).url),
    ...(audience === undefined ? {} : { audience: checkText('oauth-audience', audience) }),
    ...(scopeClaim === undefined ? {} : { scopeClaim: checkText('oauth-scope-claim', scopeClaim) }),
  };
}

/** The part of the address before /mcp: operators give it with or without that. */
function endpointBase({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/mcp$/, '')}`;
}

function checkUrl(flag: string, text: string): { text: string; url: URL } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new UsageError(`--${flag}: give an address without a query, such as https://files.example`);
  if (!isSafeUrl(url))
    throw new UsageError(`--${flag} ${text}: tokens need TLS: give an https address, or one of this machine`);
  return { text, url };
}

function checkText(flag: string, text: string): string {
  if (text.trim() !== '') return text;
  throw new UsageError(`--${flag} is empty`);
}
