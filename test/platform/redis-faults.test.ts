import { expect, test } from 'vitest';
import { adviceForRedis } from '../../src/platform/redis-faults.ts';

/** Texts as Redis 7.0, ioredis and Node 20 give them. */
test.each([
  ["READONLY You can't write against a read only replica. script: 87be7f", /replica, expected the primary/],
  ["ERR unknown command 'eval', with args beginning with: 'return 1' '0' ", /Sentinel/],
  ["ERR unknown command 'set'", /Sentinel/],
  ['CLUSTERDOWN Hash slot not served', /node of a Cluster/],
  ['MOVED 866 127.0.0.1:7001', /node of a Cluster/],
  ['ERR SELECT is not allowed in cluster mode', /node of a Cluster/],
  ["NOPERM this user has no permissions to run the 'set' command", /lacks permissions/],
  ['WRONGPASS invalid username-password pair or user is disabled.', /user or password is wrong/],
  ['NOAUTH HELLO must be called with the client already authenticated', /needs a password/],
  ["OOM command not allowed when used memory > 'maxmemory'.", /raise maxmemory/],
  ['MISCONF Redis is configured to save RDB snapshots, but', /disk/],
  ['self-signed certificate', /NODE_EXTRA_CA_CERTS/],
  ['unable to verify the first certificate', /NODE_EXTRA_CA_CERTS/],
  ['unable to get local issuer certificate', /NODE_EXTRA_CA_CERTS/],
  ["Hostname/IP does not match certificate's altnames: IP: 127.0.0.1", /another host name/],
  ['certificate has expired', /Renew/],
  ['Unknown RESP type 72 "H". Please report this.', /something else than Redis/],
  ['write ECONNRESET', /rediss:/],
  ['getaddrinfo ENOTFOUND no-such-host.invalid', /host name can't be resolved/],
  ['connect ECONNREFUSED 127.0.0.1:1', /nothing listens/],
  ['connect ETIMEDOUT', /^REDIS_URL: no response.*accepts TLS/],
])('explains %j', (text, advice) => {
  expect(adviceForRedis(text)).toMatch(advice);
});
