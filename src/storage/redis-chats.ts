import type { Log } from '../log.ts';
import type { RedisConnection } from './redis-connection.ts';
import { CONTINUITY, type RedisContinuity } from './redis-continuity.ts';
import type { Begun, ChatTransactions, Committed } from './storage.ts';

/** Transactions of chats on Redis: one hash a chat, one script a step. */
export function createRedisChats(
  connection: RedisConnection,
  continuity: Pick<RedisContinuity, 'counted' | 'process'>,
  log: Log,
): ChatTransactions {
  return {
    async begin({ chat, update, token, leaseMs }) {
      const [kind, number = 0, session, conversation, aside] = await connection.call((redis) =>
        redis.chatBegin(keyOf(chat), conversationOf(chat), token, update, leaseMs),
      );
      if (aside) log.error({ chat }, "a chat's lease could not be read and is set aside");
      return begun(kind, number, session ?? undefined, conversation ?? undefined);
    },
    async commit({ chat, update, token, changes: { session, conversation, claim } }) {
      const record = claim ? claim.key : keyOf(chat);
      const { expected = '', value = '', ttlMs = 0, epoch = '' } = claim ?? {};
      const rest = claim ? [expected, value, String(Math.ceil(ttlMs)), epoch, continuity.process] : [];
      const [kind, claims, own = 0] = await connection.call((redis) =>
        redis.chatCommit(
          keyOf(chat),
          conversationOf(chat),
          record,
          claim?.epoch === undefined ? keyOf(chat) : CONTINUITY,
          token,
          update,
          change(session),
          change(conversation),
          ...rest,
        ),
      );
      if (claims !== undefined) continuity.counted(epoch, claims, own);
      return committed(kind);
    },
    async release({ chat, token, counted = true }) {
      await connection.call((redis) => redis.chatRelease(keyOf(chat), token, counted ? 0 : 1));
    },
  };
}

function keyOf(chat: number): string {
  return `chat:{${chat}}`;
}

function conversationOf(chat: number): string {
  return `conversation:{${chat}}`;
}

function change(value: string | null | undefined): string {
  if (value === undefined) return '';
  return value === null ? '-' : `=${value}`;
}

function begun(kind: string, number: number, session?: string, conversation?: string): Begun {
  if (kind === 'handled') return { kind };
  if (kind === 'busy') return { kind, retryAfterMs: number };
  return { kind: 'granted', attempt: number, session, conversation };
}

function committed(answer: string): Committed {
  return answer === 'committed' || answer === 'conflict' ? answer : 'lost';
}
