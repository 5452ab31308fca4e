import type { Words } from '../i18n/texts.ts';
import { REDIS_PERMISSIONS } from '../platform/redis-connection.ts';
import { StorageUnavailable, StorageUnfit } from '../platform/storage.ts';
import { describeForLog, type ProblemName } from '../views/health-problem.ts';
import { type Found, partOfSentence, type Severity } from './check.ts';

/** Problems of Redis and of the connection to it. */
export const REDIS_PROBLEMS = {
  'redis-unreachable': 'error',
  'redis-loading': 'error',
  'redis-read-only': 'error',
  'redis-full': 'error',
  'redis-refuses-writes': 'error',
  'redis-refuses-bot': 'error',
  'redis-unsuitable': 'error',
} as const satisfies Record<string, Severity>;

type RedisProblem = keyof typeof REDIS_PROBLEMS;

type FoundWithTexts<Problem extends ProblemName> = Found<Problem> & { values: Record<string, string> };

/**
 * Problem by the pattern of an error text of Redis, ioredis or Node's TLS
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/). `cause` selects the advice, if a problem has several.
 */
export const REDIS_FAULTS: readonly (readonly [pattern: RegExp, problem: RedisProblem, cause?: string])[] = [
  [/^READONLY/, 'redis-read-only'],
  [/^OOM/, 'redis-full'],
  [/^MISCONF|^NOREPLICAS/, 'redis-refuses-writes'],
  [/^LOADING/, 'redis-loading'],
  [/^WRONGPASS|^ERR (AUTH|invalid password)/, 'redis-refuses-bot', 'wrong-password'],
  [/^NOAUTH/, 'redis-refuses-bot', 'no-password'],
  [/unknown command ['`]?(auth|hello)/i, 'redis-refuses-bot', 'needless-password'],
  [/^NOPERM/, 'redis-refuses-bot', 'permissions'],
  [/unknown (redis )?command/i, 'redis-unsuitable', 'commands'],
  [/^(MOVED|ASK|CLUSTERDOWN)\b|cluster mode/, 'redis-unsuitable', 'cluster'],
  [/^ERR DB index/, 'redis-unsuitable', 'database'],
  [/^ERR/, 'redis-unsuitable', 'other'],
  [/altnames/, 'redis-unreachable', 'certificate-name'],
  [/certificate has expired|not yet valid/, 'redis-unreachable', 'certificate-time'],
  [/certificate/, 'redis-unreachable', 'certificate-authority'],
  [/RESP type/, 'redis-unreachable', 'not-redis'],
  [/EPROTO|wrong version number/, 'redis-unreachable', 'protocol'],
  [/ECONNRESET|EPIPE|connection (is|was) closed/i, 'redis-unreachable', 'cut'],
  [/ETIMEDOUT|Socket timeout/, 'redis-unreachable', 'timeout'],
  [/ENOTFOUND|EAI_AGAIN/, 'redis-unreachable', 'host'],
  [/ECONNREFUSED/, 'redis-unreachable', 'refused'],
];

/** Maximum number of commands that are named. A user without any permission lacks all of them. */
const MAX_NAMED = 6;

/** Returns the problem behind an error text of Redis or its connection. */
export function problemOfRedis(message: string): FoundWithTexts<RedisProblem> {
  const found = REDIS_FAULTS.find(([pattern]) => pattern.test(message));
  const [, problem = 'redis-unreachable', cause = 'other'] = found ?? [];
  return { problem, values: { why: partOfSentence(message), cause } };
}

/** Returns why the bot can't use a Redis that it reaches. */
export function problemOfUnfit({
  why,
}: StorageUnfit): FoundWithTexts<'redis-unsuitable' | 'redis-lacks-permissions'> {
  if (typeof why === 'string') return { problem: 'redis-unsuitable', values: { why, cause: why } };
  if ('unknown' in why)
    return {
      problem: 'redis-unsuitable',
      values: { why: `unknown command ${listOf(why.unknown)}`, cause: 'commands' },
    };
  const { commands, keys } = why;
  const lacks = commands.length === 0 ? 'keys' : keys ? 'both' : 'commands';
  return {
    problem: 'redis-lacks-permissions',
    values: { lacks, commands: listOf(commands), expected: REDIS_PERMISSIONS },
  };
}

const listOf = (commands: readonly string[]) =>
  (commands.length > MAX_NAMED ? [...commands.slice(0, MAX_NAMED), '…'] : commands).join(', ');

/** Returns an error for the operator in place of an error of Redis, in one line. Returns other errors unchanged. */
export function explainRedis(words: Words, error: Error): Error {
  if (!(error instanceof StorageUnavailable || error instanceof StorageUnfit)) return error;
  const found = error instanceof StorageUnfit ? problemOfUnfit(error) : problemOfRedis(error.message);
  const { finding, advice } = describeForLog(words, found);
  return new Error(`REDIS_URL: ${finding} ${advice}`);
}
