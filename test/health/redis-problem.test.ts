import { expect, test } from 'vitest';
import { problemOfRedis } from '../../src/health/redis-problem.ts';
import { describeProblem } from '../../src/views/health-problem.ts';
import { TEXTS } from '../support/texts.ts';

/** Texts as Redis 7.0, ioredis and Node 20 give them. */
test.each([
  ["READONLY You can't write against a read only replica. script: 87be7f", /primary/, /основной/],
  [
    "ERR unknown command 'eval', with args beginning with: 'return 1' '0' ",
    /rename-command/,
    /rename-command/,
  ],
  ['CLUSTERDOWN Hash slot not served', /a single Redis/, /один сервер/],
  ['MOVED 866 127.0.0.1:7001', /a single Redis/, /один сервер/],
  ['ERR SELECT is not allowed in cluster mode', /a single Redis/, /один сервер/],
  ['ERR DB index is out of range', /raise databases/, /увеличьте databases/],
  ['ERR Protocol error', /6.2 or later/, /6.2 или новее/],
  ["NOPERM this user has no permissions to run the 'set' command", /permissions/, /права/],
  ['WRONGPASS invalid username-password pair or user is disabled.', /Correct user/, /Исправьте имя/],
  ['NOAUTH HELLO must be called with the client already', /Put the password/, /Добавьте пароль/],
  ["ERR unknown command 'AUTH'", /Remove the password/, /Уберите пароль/],
  ["OOM command not allowed when used memory > 'maxmemory'.", /Raise maxmemory/, /Увеличьте maxmemory/],
  ['MISCONF Redis is configured to save RDB snapshots, but', /disk/, /диск/],
  ['self-signed certificate', /NODE_EXTRA_CA_CERTS/, /NODE_EXTRA_CA_CERTS/],
  ['unable to verify the first certificate', /NODE_EXTRA_CA_CERTS/, /NODE_EXTRA_CA_CERTS/],
  ['unable to get local issuer certificate', /NODE_EXTRA_CA_CERTS/, /NODE_EXTRA_CA_CERTS/],
  ["Hostname/IP does not match certificate's altnames: IP: 127.0.0.1", /host name/, /имя хоста из/],
  ['certificate has expired', /Renew/, /Обновите/],
  ['Unknown RESP type 72 "H". Please report this.', /something else listens/, /отвечает не Redis/],
  ['write ECONNRESET', /maxclients.*rediss:/, /maxclients.*rediss:/],
  ['write EPIPE', /maxclients.*rediss:/, /maxclients.*rediss:/],
  ['getaddrinfo ENOTFOUND no-such-host.invalid', /host name/, /имя хоста/],
  ['connect ECONNREFUSED 127.0.0.1:1', /nothing listens/, /никто не отвечает/],
  [
    "Socket timeout. Expecting data, but didn't receive any in 1000ms.",
    /isn't suspended/,
    /не приостановлен/,
  ],
  ['connect ETIMEDOUT', /rediss:.* use redis:/, /rediss:.* укажите redis:/],
  ['the connection was closed', /maxclients.*rediss:/, /maxclients.*rediss:/],
  ['unknown reason', /Check that Redis runs/, /Проверьте, что Redis/],
])('advises about %j in both languages', (text, english, russian) => {
  const found = problemOfRedis(text);
  expect(describeProblem(TEXTS.in('en'), found).advice).toMatch(english);
  expect(describeProblem(TEXTS.in('ru'), found).advice).toMatch(russian);
});

test('says that another server is not Redis, instead of asking to report that', () => {
  const found = problemOfRedis('Unknown RESP type 72 "H". Please report this.');
  expect(describeProblem(TEXTS.in('en'), found).finding).toBe(
    "Redis isn't responding: what listens there isn't Redis.",
  );
});
