import { BlockList, isIP } from 'node:net';

/** Networks of trusted proxies: loopback, private and link-local addresses. */
const NEAR: readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'][] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
];

/**
 * Returns a function that names the client a connection is counted for: the peer, or, if the peer is a proxy nearby, the
 * last client in the proxy's `X-Forwarded-For`. A client can write everything to the left of that itself. An IPv6 client
 * is counted by its /64 network.
 */
export function createClientAddress() {
  const near = new BlockList();
  for (const network of NEAR) near.addSubnet(...network);

  return (peer: string | undefined, forwardedFor: string | undefined): string => {
    const address = plain(peer ?? '');
    const told = plain(nodeAddress(forwardedFor?.split(',').at(-1) ?? ''));
    const isNear = isIP(address) === 0 || near.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
    return networkOf(isNear && isIP(told) !== 0 ? told : address);
  };
}

/**
 * Returns the address in one entry of the header. Some proxies add the port, and brackets around IPv6, or write the entry
 * as in `Forwarded` (RFC 7239, section 6): `203.0.113.1:4711`, `[2001:db8::1]:443`, `for="[2001:db8::1]"`.
 */
function nodeAddress(entry: string): string {
  const [node = ''] = entry.split(';');
  const [, bracketed, bare = ''] =
    /^(?:for=)?"?(?:\[([^\]]*)\](?::\w+)?|([^"]*))"?$/i.exec(node.trim()) ?? [];
  return bracketed ?? bare.replace(/^([\d.]+):\w+$/, '$1');
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const missing = Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(missing).fill('0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
