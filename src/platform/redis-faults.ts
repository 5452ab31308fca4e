/** Advice to the operator by the pattern of an error text of Redis, ioredis or Node's TLS. */
export const REDIS_FAULTS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^READONLY/, 'REDIS_URL: this server is a read-only replica, expected the primary server'],
  [/unknown command ['`]?(set|eval|multi)/i, 'REDIS_URL: this is a Sentinel, expected the primary server'],
  [
    /^(MOVED|ASK|CLUSTERDOWN)\b|cluster mode|cluster-enabled/,
    'REDIS_URL: expected a single Redis or Valkey server, with replicas if you like; this one is a node of a Cluster',
  ],
  [
    /^WRONGPASS|^ERR (AUTH|invalid password)/,
    'REDIS_URL: the user or password is wrong, expected redis://user:password@host with special characters as %XX',
  ],
  [
    /unknown command ['`]?(auth|hello)/i,
    'REDIS_URL: this server or proxy accepts no password, expected redis://host',
  ],
  [/^NOAUTH/, 'REDIS_URL: this server needs a password, expected redis://:password@host'],
  [/^ERR DB index/, 'REDIS_URL: the number of the database is too high, see databases in redis.conf'],
  [/^NOPERM/, 'REDIS_URL: this user lacks permissions, see "Redis" in docs/operating/install.md'],
  [/^OOM/, "Redis' memory is full: raise maxmemory, and keep maxmemory-policy noeviction"],
  [
    /^MISCONF|^NOREPLICAS/,
    'Redis refuses writes: check its disk and its log, and its settings min-replicas-to-write and stop-writes-on-bgsave-error',
  ],
  [/^LOADING/, "Wait until Redis has loaded its data, and read its log if that doesn't end"],
  [/altnames/, 'REDIS_URL: the certificate is for another host name, expected the name in the certificate'],
  [/certificate has expired|not yet valid/, 'Renew the TLS certificate of Redis, and check the clocks'],
  [
    /certificate/,
    "REDIS_URL: Node doesn't know the authority of the TLS certificate, set NODE_EXTRA_CA_CERTS to the PEM file with the certificate of this authority",
  ],
  [
    /EPROTO|wrong version number|RESP type/,
    'REDIS_URL: something else than Redis listens there, or it needs no TLS',
  ],
  [/ECONNRESET/, 'REDIS_URL: the connection was cut, expected rediss:// if the server needs TLS'],
  [
    /ETIMEDOUT/,
    'REDIS_URL: no response. Check that Redis runs and that this host reaches it, and with rediss:// that it accepts TLS',
  ],
  [/ENOTFOUND|EAI_AGAIN/, "REDIS_URL: the host name can't be resolved"],
  [
    /ECONNREFUSED/,
    'REDIS_URL: nothing listens there. Start Redis, or correct host and port; if Redis ends again, its log says why, for example a full disk',
  ],
];

/**
 * Returns what the operator should do about an error text of Redis or its connection. The start, the log and the health
 * checks use it.
 */
export function adviceForRedis(message: string): string {
  const known = REDIS_FAULTS.find(([pattern]) => pattern.test(message));
  return known?.[1] ?? 'Check that Redis runs and that this host reaches it, and REDIS_URL';
}
