import { type ChatTransactions, CONVERSATION_KEPT_MS, EMPTY_CHAT_KEPT_MS, KNOWN } from './storage.ts';

/** Epoch and run of data in memory. */
export const MEMORY_EPOCH = 'memory';

interface Chat {
  lease?: { token: string; expiresAt: number; update: number; attempt: number };
  /** Attempts of up to 8 updates that were begun and never committed, oldest first. */
  failed: Map<number, number>;
  handled: number[];
  committed: string[];
  session?: string;
  conversation?: { value: string; expiresAt: number };
  /** Of one with nothing in its session. */
  expiresAt?: number | undefined;
}

interface Records {
  get(key: string): string | undefined;
  set(key: string, value: string, ttlMs?: number): void;
}

/** Transactions of chats in memory, with the rules of the scripts in `redis-scripts.ts`. */
export function createMemoryChats({
  records,
  now,
}: {
  records: Records;
  now: () => number;
}): ChatTransactions {
  const chats = new Map<number, Chat>();

  function chatOf(id: number): Chat {
    const known = chats.get(id);
    const isOver = known?.expiresAt !== undefined && known.expiresAt <= now();
    const chat: Chat = known && !isOver ? known : { failed: new Map(), handled: [], committed: [] };
    chats.set(id, chat);
    return chat;
  }

  function conversationOf({ conversation }: Chat): string | undefined {
    return conversation && conversation.expiresAt > now() ? conversation.value : undefined;
  }

  return {
    async begin({ chat: id, update, token, leaseMs }) {
      const chat = chatOf(id);
      const { lease, failed } = chat;
      if (chat.handled.includes(update)) return { kind: 'handled' };
      const again = lease?.token === token && lease.update === update;
      if (lease && !again) {
        if (lease.expiresAt > now()) return { kind: 'busy', retryAfterMs: lease.expiresAt - now() };
        failed.set(lease.update, lease.attempt);
      }
      const attempt = again ? lease.attempt : (failed.get(update) ?? 0) + 1;
      failed.delete(update);
      const [oldest, ...others] = failed.keys();
      if (oldest !== undefined && others.length >= 8) failed.delete(oldest);
      chat.lease = { token, expiresAt: now() + leaseMs, update, attempt };
      chat.expiresAt = undefined;
      return { kind: 'granted', attempt, session: chat.session, conversation: conversationOf(chat) };
    },

    async commit({ chat: id, update, token, changes }) {
      const chat = chatOf(id);
      if (chat.lease?.token !== token) return chat.committed.includes(token) ? 'committed' : 'lost';
      const { session, conversation, claim } = changes;
      if (claim) {
        if (records.get(claim.key) !== claim.expected) return 'conflict';
        if (claim.epoch !== undefined && claim.epoch !== MEMORY_EPOCH) return 'conflict';
        records.set(claim.key, claim.value, claim.ttlMs);
      }
      if (session !== undefined) chat.session = session ?? undefined;
      if (conversation === null) chat.conversation = undefined;
      else if (conversation !== undefined) {
        chat.conversation = { value: conversation, expiresAt: now() + CONVERSATION_KEPT_MS };
      }
      chat.handled = [...chat.handled, update].slice(-KNOWN.handled);
      chat.committed = [...chat.committed, token].slice(-KNOWN.committed);
      chat.lease = undefined;
      if (chat.session === undefined) chat.expiresAt = now() + EMPTY_CHAT_KEPT_MS;
      return 'committed';
    },

    async release({ chat: id, token, counted = true }) {
      const chat = chatOf(id);
      if (chat.lease?.token !== token) return;
      const attempt = chat.lease.attempt - (counted ? 0 : 1);
      chat.lease = { ...chat.lease, token: '', expiresAt: 0, attempt };
    },
  };
}
