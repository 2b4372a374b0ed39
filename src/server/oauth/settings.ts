/** Which authorization server the operator trusts, and how its tokens name this server. */
import { isLoopback } from '../web/host-and-origin.ts';

export interface OAuthSettings {
  /** The issuer, exactly as the tokens name it. */
  issuer: string;
  /** The URL that clients see in front of `/mcp`, without a slash at the end. */
  publicUrl: string;
  /** The audience that tokens must name. Default: the URL of the endpoint. */
  audience?: string | undefined;
  /** The claim that holds the scopes. Default: `scope`, or else `scp`. */
  scopeClaim?: string | undefined;
}

/** Whether keys and tokens may be sent to a URL: only over TLS, or within this machine. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(host));
}
