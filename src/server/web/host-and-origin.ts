/**
 * Allows only requests that name this server as Host, and only from web pages whose Origin the operator allowed.
 *
 * A page whose name a hostile name server points at this machine sends that name as Host, and any other page sends
 * its own Origin. The server refuses both before it looks at a token.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:[\]/@]+)(?::\d{1,5})?$/;
/** As an operator writes one. No star: it would look like a pattern, and there are none. */
const HOST_NAME = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/;

export interface HostAndOriginOptions {
  /** The host that the server binds to. */
  host: string;
  /** Further names, with or without a port. */
  allowHosts: readonly string[];
  allowOrigins: readonly string[];
}

export class HostAndOrigin {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ host, allowHosts, allowOrigins }: HostAndOriginOptions) {
    const own = isAnyAddress(host) ? [] : [inUrl(host)];
    const loopback = isAnyAddress(host) || isLoopback(host) ? LOOPBACK_NAMES : [];
    this.#hosts = new Set([...loopback, ...own, ...allowHosts].map((name) => name.toLowerCase()));
    this.#origins = new Set(allowOrigins.map((origin) => origin.toLowerCase()));
  }

  /** The Host header must name this server: by an allowed name, or by the address that the client reached. */
  allowsHost(request: IncomingMessage): boolean {
    if (countOf(request, 'host') !== 1) return false;
    const host = request.headers.host!.toLowerCase();
    const name = HOST.exec(host)?.[1];
    if (name === undefined) return false;
    if (this.#hosts.has(name) || this.#hosts.has(host)) return true;
    const reached = request.socket.localAddress?.replace(/^::ffff:/, '');
    return reached !== undefined && name === inUrl(reached);
  }

  /** No Origin (not a web page), the origin of this server itself, or an allowed one. */
  allowsOrigin(request: IncomingMessage): boolean {
    const { origin } = request.headers;
    if (origin === undefined) return true;
    if (countOf(request, 'origin') !== 1) return false;
    const page = origin.toLowerCase();
    if (!ORIGIN.test(page)) return false;
    return this.#origins.has(page) || isSameHost(page, request.headers.host!.toLowerCase());
  }
}

/** The origin as browsers send it; undefined when the text is not an origin. */
export function asOrigin(text: string): string | undefined {
  const origin = text.toLowerCase().replace(/\/$/, '');
  return ORIGIN.test(origin) && !origin.includes('*') ? origin : undefined;
}

export function isHostName(text: string): boolean {
  return HOST_NAME.test(text.toLowerCase());
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** A host as URLs write it. */
export function inUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function isSameHost(page: string, host: string): boolean {
  return page === `http://${host}` || page === `https://${host}`;
}

/** Node keeps the first of several headers, a proxy may keep the last: the server refuses such a request. */
function countOf({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!;
    if (header.length === name.length && header.toLowerCase() === name) count++;
  }
  return count;
}
