import { expect, test } from 'vitest';
import { createClientAddress } from '../../../src/web/invoice-page/invoice-page.ts';

const clientAddress = createClientAddress();

test.each([
  ['the peer if there is no proxy', '198.51.100.7', undefined, '198.51.100.7'],
  ['the peer if it is public, whatever it claims', '198.51.100.7', '203.0.113.1', '198.51.100.7'],
  ['the client that a nearby proxy reports', '127.0.0.1', '203.0.113.1', '203.0.113.1'],
  [
    'the last reported address, because clients can invent the others',
    '10.1.2.3',
    '1.1.1.1, 203.0.113.1',
    '203.0.113.1',
  ],
  ['the proxy if it reports no client', '172.20.0.2', undefined, '172.20.0.2'],
  ['the proxy if it reports an invalid address', '192.168.1.1', 'unknown', '192.168.1.1'],
  ['an IPv4 client on a dual-stack socket', '::ffff:127.0.0.1', '::ffff:203.0.113.1', '203.0.113.1'],
  ['all IPv6 clients of one network as one', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2'],
  ['a shortened IPv6 address', '::1', '2001:db8::9', '2001:db8:0:0'],
  ['an IPv4 client without its port', '127.0.0.1', '203.0.113.1:5678', '203.0.113.1'],
  ['an IPv6 client without its port', '127.0.0.1', '[2001:db8:1:2::1]:443', '2001:db8:1:2'],
  ['an IPv6 client in brackets', '127.0.0.1', '[2001:db8:1:2::1]', '2001:db8:1:2'],
  ['an IPv4 client in IPv6 form with a port', '127.0.0.1', '[::ffff:203.0.113.1]:80', '203.0.113.1'],
  ['a quoted client', '127.0.0.1', '1.1.1.1, "203.0.113.1:5678"', '203.0.113.1'],
  ['a client named as in Forwarded', '127.0.0.1', 'for="[2001:db8:1:2::1]:443"', '2001:db8:1:2'],
  ['a client named with parameters', '127.0.0.1', 'For=203.0.113.1;proto=https', '203.0.113.1'],
  ['the proxy if the client is hidden', '127.0.0.1', 'for="_hidden:80"', '127.0.0.1'],
  ['the proxy if a bracket is missing', '127.0.0.1', '[2001:db8::1', '127.0.0.1'],
  ['no client if there is no peer', undefined, undefined, ''],
])('counts %s', (_, peer, forwardedFor, client) => {
  expect(clientAddress(peer, forwardedFor)).toBe(client);
});
