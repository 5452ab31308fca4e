import { randomUUID } from 'node:crypto';
import { HOUR_MS } from './clock.ts';
import { keyOf, type StoredData } from './records.ts';
import type { Storage } from './storage.ts';

/** Maximum sends of a message of which each may have arrived. */
const MAX_ATTEMPTS = 2;
/** TTL of an attempt, in milliseconds. Longer than any message is retried. */
const TTL_MS = 48 * HOUR_MS;

export const MESSAGE_ATTEMPT = {
  keys: 'message-attempt:{user}:message:number',
  content: 'The first or second send of a message was started',
  expiry: '2 days',
  retained: { own: 'kept-under-way' },
} as const satisfies StoredData;

/** Message that is sent at most twice on its own. `message` names it among the messages to this user. */
export interface AttemptedMessage {
  user: number;
  message: string;
}

/**
 * Limits how often a message is sent without its user's action. Each send is counted before it begins, because its
 * process may end before the result is known.
 *
 * @example
 * const sent = await attempts.send({ user: 501, message: 'follow-up-7Q2K' }, {
 *   send: () => sender.send(501, content),
 *   wasNotSent: ({ kind }) => kind === 'later',
 * });
 */
export type MessageAttempts = ReturnType<typeof createMessageAttempts>;

export function createMessageAttempts({ storage }: { storage: Pick<Storage, 'add' | 'delete'> }) {
  const keysOf = ({ user, message }: AttemptedMessage) =>
    Array.from({ length: MAX_ATTEMPTS }, (_, at) =>
      keyOf(MESSAGE_ATTEMPT.keys, { user, message: encodeURIComponent(message), number: at + 1 }),
    );

  return {
    /**
     * Calls `send` and returns its result, or returns `exhausted` after two attempts that may have arrived. An attempt
     * counts unless `wasNotSent` returns true for its result. It also counts if `send` rejects.
     */
    async send<Result>(
      message: AttemptedMessage,
      { send, wasNotSent }: { send: () => Promise<Result>; wasNotSent: (result: Result) => boolean },
    ): Promise<Result | 'exhausted'> {
      const token = randomUUID();
      for (const key of keysOf(message)) {
        if (!(await storage.add(key, token, { ttlMs: TTL_MS }))) continue;
        const result = await send();
        if (wasNotSent(result)) await storage.delete(key, token);
        return result;
      }
      return 'exhausted';
    },
    /** Allows two further attempts, because the user has acted. */
    async reset(message: AttemptedMessage): Promise<void> {
      await Promise.all(keysOf(message).map((key) => storage.delete(key)));
    },
  };
}
