/** The network of a client, by which the server counts its connections and its wrong tokens. */

/** An IPv4 address, or the first 64 bits of an IPv6 address: a client usually has all addresses that share these. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head.split(':');
  const missing = 8 - left.length - (tail === '' ? 0 : tail.split(':').length);
  return [...left, ...Array<string>(Math.max(missing, 0)).fill('0')].slice(0, 4).join(':');
}
