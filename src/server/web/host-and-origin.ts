/**
 * Allows only requests that name this server as Host, and only from web pages whose Origin the operator allowed.
 *
 * This protects against hostile web pages. In a DNS rebinding attack, the page's own host name points to this machine,
 * and the browser sends that name as Host. Any other page sends its own Origin. The server refuses both before it looks
 * at a token.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:[\]/@]+)(?::\d{1,5})?$/;
/** A host as an operator may write it. It has no `*`: that would look like a pattern, and there are no patterns. */
const HOST_NAME = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/;

export interface HostAndOriginOptions {
  /** The host that the server binds to. */
  host: string;
  /** Additional host names, with or without a port. */
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

  /** Allows no Origin (not a web page), the origin of this server itself, or an allowed one. */
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

/** A host as it is written in a URL. */
export function inUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Whether the origin of a page names this host. */
export function isSameHost(page: string, host: string): boolean {
  return page === `http://${host}` || page === `https://${host}`;
}

/** How often a header occurs. Node uses the first one and a proxy may use the last, so callers refuse repetitions. */
function countOf({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!;
    if (header.length === name.length && header.toLowerCase() === name) count++;
  }
  return count;
}
