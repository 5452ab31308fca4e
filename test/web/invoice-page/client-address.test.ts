import { expect, test } from 'vitest';
import { createClientAddress } from '../../../src/web/invoice-page/client-address.ts';

const clientAddress = createClientAddress();

test.each([
  ['the peer, where nobody stands between', '198.51.100.7', undefined, '198.51.100.7'],
  ['the peer, whatever it says of others', '198.51.100.7', '203.0.113.1', '198.51.100.7'],
  ['whom a proxy nearby serves', '127.0.0.1', '203.0.113.1', '203.0.113.1'],
  ['the last one named, for the others anybody can write', '10.1.2.3', '1.1.1.1, 203.0.113.1', '203.0.113.1'],
  ['a proxy that names nobody', '172.20.0.2', undefined, '172.20.0.2'],
  ['a proxy that names nonsense', '192.168.1.1', 'unknown', '192.168.1.1'],
  ['IPv4 on a socket for both', '::ffff:127.0.0.1', '::ffff:203.0.113.1', '203.0.113.1'],
  ['a network of IPv6, which is one client’s', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2'],
  ['a shortened one', '::1', '2001:db8::9', '2001:db8:0:0'],
  ['an IPv4 client without its port', '127.0.0.1', '203.0.113.1:5678', '203.0.113.1'],
  ['an IPv6 client without its port', '127.0.0.1', '[2001:db8:1:2::1]:443', '2001:db8:1:2'],
  ['an IPv6 client in brackets', '127.0.0.1', '[2001:db8:1:2::1]', '2001:db8:1:2'],
  ['an IPv4 client in IPv6 form with a port', '127.0.0.1', '[::ffff:203.0.113.1]:80', '203.0.113.1'],
  ['a quoted client', '127.0.0.1', '1.1.1.1, "203.0.113.1:5678"', '203.0.113.1'],
  ['a client named as in Forwarded', '127.0.0.1', 'for="[2001:db8:1:2::1]:443"', '2001:db8:1:2'],
  ['a client named with parameters', '127.0.0.1', 'For=203.0.113.1;proto=https', '203.0.113.1'],
  ['the proxy if the client is hidden', '127.0.0.1', 'for="_hidden:80"', '127.0.0.1'],
  ['the proxy if a bracket is missing', '127.0.0.1', '[2001:db8::1', '127.0.0.1'],
  ['nobody known', undefined, undefined, ''],
])('counts %s', (_, peer, forwardedFor, client) => {
  expect(clientAddress(peer, forwardedFor)).toBe(client);
});
