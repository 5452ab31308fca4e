import { BlockList, isIP } from 'node:net';

/** Networks in which a proxy of our own may stand; nobody else comes from there. */
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
 * Whom to count a connection for: the peer, or where that is a proxy nearby, whom the proxy says that it serves. What
 * stands further left in `X-Forwarded-For` anybody can have written. Of IPv6 a client has a whole /64.
 */
export function createClientAddress() {
  const near = new BlockList();
  for (const network of NEAR) near.addSubnet(...network);

  return (peer: string | undefined, forwardedFor: string | undefined): string => {
    const address = plain(peer ?? '');
    const told = plain(forwardedFor?.split(',').at(-1)?.trim() ?? '');
    const isNear = isIP(address) === 0 || near.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
    return networkOf(isNear && isIP(told) !== 0 ? told : address);
  };
}

/** IPv4 as it is, also where the socket takes both. */
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
