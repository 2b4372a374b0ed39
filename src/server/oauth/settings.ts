/** Which authorization server the operator trusts, and how its tokens name this server. */
export interface OAuthSettings {
  /** Exactly as it is in the tokens. */
  issuer: string;
  /** What clients see in front of `/mcp`, without a slash at the end. */
  publicUrl: string;
  /** What tokens name as their audience; the address of the endpoint when left out. */
  audience?: string | undefined;
  /** The claim that holds the scopes; `scope`, or else `scp`, when left out. */
  scopeClaim?: string | undefined;
}

/** Keys and tokens travel only over TLS, or inside this machine. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}
