import {
  type Change,
  CONVERSATION_TTL_MS,
  EMPTY_CHAT_TTL_MS,
  isSingleKey,
  KEYS_PAGE,
  type KeptLifetime,
  KNOWN,
  keyOfListedName,
  type Lifetime,
  listKeyOf,
  listNameOf,
  type ScheduleRule,
  type Storage,
  tagOf,
  UNLISTED_MS,
} from './storage.ts';

const MEMORY_EPOCH = 'memory';

interface Chat {
  lease?: { token: string; expiresAt: number; update: number; attempt: number };
  /** Attempts of up to 8 updates that were started but never committed, oldest first. */
  failed: Map<number, number>;
  handled: number[];
  committed: string[];
  session?: string;
  conversation?: { value: string; expiresAt: number };
  /** Expiry of a chat without a session. */
  expiresAt?: number | undefined;
}

/** Creates storage in memory, which is lost when the process ends. `now` returns epoch milliseconds. */
export function createMemoryStorage({ now = Date.now }: { now?: () => number } = {}): Storage {
  const entries = new Map<string, { value: string; expiresAt: number }>();
  const indexes = new Map<string, { scores: Map<string, number>; expiresAt: number }>();
  const counted = new Map<string, { counters: Map<string, number>; expiresAt: number }>();
  const chats = new Map<number, Chat>();

  function read(key: string): string | undefined {
    const entry = entries.get(key);
    if (!entry || entry.expiresAt > now()) return entry?.value;
    entries.delete(key);
    return undefined;
  }

  function write(key: string, value: string, ttlMs?: number | 'kept'): void {
    const kept = entries.get(key)?.expiresAt ?? Number.POSITIVE_INFINITY;
    const expiresAt = ttlMs === 'kept' ? kept : ttlMs ? now() + ttlMs : Number.POSITIVE_INFINITY;
    entries.set(key, { value, expiresAt });
    const tag = tagOf(key);
    if (tag !== undefined && !isSingleKey(key) && ttlMs !== 'kept' && (ttlMs || expiresAt) > UNLISTED_MS)
      put(listKeyOf(tag), listNameOf(key, tag), 0);
  }

  function countersOf(key: string): Map<string, number> {
    const found = counted.get(key);
    if (found && found.expiresAt > now()) return found.counters;
    counted.delete(key);
    return new Map();
  }

  function apply(changes: readonly Change[]): void {
    for (const change of changes) {
      const { key } = change;
      if ('counter' in change) {
        const counters = countersOf(key);
        counters.set(change.counter, (counters.get(change.counter) ?? 0) + change.by);
        counted.set(key, { counters, expiresAt: now() + change.ttlMs });
      } else {
        const { at, text } = change;
        const before = (read(key) ?? '').padEnd(at, '\0');
        const expiresAt = entries.get(key)?.expiresAt ?? Number.POSITIVE_INFINITY;
        const value = `${before.slice(0, at)}${text}${before.slice(at + text.length)}`;
        entries.set(key, { value, expiresAt });
      }
    }
  }

  function add(
    key: string,
    value: string,
    { ttlMs }: Lifetime = {},
    changes: readonly Change[] = [],
  ): boolean {
    const found = read(key);
    if (found === undefined) {
      write(key, value, ttlMs);
      apply(changes);
    }
    return found === undefined || found === value;
  }

  function replace(
    key: string,
    expected: string,
    value: string,
    { ttlMs }: Lifetime | KeptLifetime = {},
    changes: readonly Change[] = [],
  ): boolean {
    const found = read(key);
    if (found === expected) {
      write(key, value, ttlMs);
      apply(changes);
    }
    return found === expected || found === value;
  }

  function scoresOf(index: string): Map<string, number> {
    const found = indexes.get(index);
    if (found && found.expiresAt > now()) return found.scores;
    indexes.delete(index);
    return new Map();
  }
  function put(index: string, member: string, score: number, { ttlMs }: Lifetime = {}): void {
    const scores = scoresOf(index).set(member, score);
    const expiresAt = ttlMs ? now() + ttlMs : indexes.get(index)?.expiresAt;
    indexes.set(index, { scores, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY });
  }

  function remove(index: string, members: readonly string[]): void {
    for (const member of members) indexes.get(index)?.scores.delete(member);
  }

  /** Returns members with matching scores, lowest first. */
  function within(index: string, isWithin: (score: number) => boolean, limit: number): string[] {
    const found = [...scoresOf(index)].filter(([, score]) => isWithin(score));
    found.sort(
      ([a, scoreA], [b, scoreB]) => scoreA - scoreB || Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    return found.slice(0, limit).map(([member]) => member);
  }

  const conversationOf = ({ conversation }: Chat) =>
    conversation !== undefined && conversation.expiresAt > now() ? conversation.value : undefined;

  function chatOf(id: number): Chat {
    const known = chats.get(id);
    const isOver = known?.expiresAt !== undefined && known.expiresAt <= now();
    const chat: Chat = known && !isOver ? known : { failed: new Map(), handled: [], committed: [] };
    chats.set(id, chat);
    return chat;
  }

  const allKeys = () => [
    ...[...entries.keys()].filter((key) => read(key) !== undefined),
    ...[...indexes.keys()].filter((key) => scoresOf(key).size > 0),
    ...[...counted.keys()].filter((key) => countersOf(key).size > 0),
  ];

  const exists = (key: string) =>
    read(key) !== undefined || scoresOf(key).size > 0 || countersOf(key).size > 0;

  const upTo = (index: string, max: number, limit: number) => within(index, (score) => score <= max, limit);

  function due(index: string, limit: number, longestMs: number): string[] {
    const late = within(index, (score) => score > now() + longestMs, limit);
    for (const member of late) put(index, member, now());
    return upTo(index, now(), limit);
  }

  function schedule(index: string, rule: ScheduleRule, member: string, inMs: number): void {
    const present = scoresOf(index).get(member);
    if (present === undefined || (rule === 'no-later-than' && now() + inMs < present))
      put(index, member, now() + inMs);
  }

  return {
    get: async (key) => read(key),
    set: async (key, value, { ttlMs } = {}) => write(key, value, ttlMs),
    add: async (...given) => add(...given),
    replace: async (...given) => replace(...given),
    async replaceAndAdd(key, expected, written, beside) {
      const replaced = replace(key, expected, written.value, written);
      return { replaced, added: replaced && add(beside.key, beside.value, beside) };
    },
    async limitTtl(key, expected, ttlMs) {
      const entry = read(key) === expected && entries.get(key);
      if (entry && Number.isFinite(entry.expiresAt))
        entry.expiresAt = Math.min(entry.expiresAt, now() + ttlMs);
    },
    async nextNumber(key) {
      const number = (Number(read(key)) || 0) + 1;
      write(key, String(number));
      return number;
    },
    async delete(key, expected, changes = []) {
      const isStored = exists(key);
      if (expected !== undefined && read(key) !== expected) return;
      if (expected === undefined) {
        indexes.delete(key);
        counted.delete(key);
      }
      entries.delete(key);
      if (isStored) apply(changes);
    },
    counters: async (key) => Object.fromEntries(countersOf(key)),
    async keysPage(cursor = '0') {
      const [keys, end] = [allKeys(), Number(cursor) + KEYS_PAGE];
      const next = end < keys.length ? String(end) : undefined;
      return { keys: keys.slice(Number(cursor), end), next };
    },
    async listed(tag, kinds) {
      const list = listKeyOf(tag);
      if (read(list) !== undefined) {
        entries.delete(list);
        indexes.delete(list);
        return undefined;
      }
      const single = kinds.map((kind) => `${kind}:{${tag}}`).filter(exists);
      const named = [...scoresOf(list).keys()].map((name) => ({ name, key: keyOfListedName(tag, name) }));
      const [present, gone] = [[] as string[], [] as string[]];
      for (const { name, key } of named) {
        if (key !== undefined && exists(key)) present.push(key);
        else gone.push(name);
      }
      remove(list, gone);
      return [...single, ...present];
    },
    async addToList(tag, keys) {
      const list = listKeyOf(tag);
      return keys.filter((key) => {
        const name = listNameOf(key, tag);
        const expiresAt = entries.get(key)?.expiresAt ?? Number.POSITIVE_INFINITY;
        if (!exists(key) || scoresOf(list).has(name) || expiresAt - now() <= UNLISTED_MS) return false;
        put(list, name, 0);
        return true;
      });
    },
    secure: async (key, value) => read(key) === value,
    index: {
      put: async (index, member, score, lifetime) => put(index, member, score, lifetime),
      remove: async (index, ...members) => remove(index, members),
      upTo: async (index, max, limit) => upTo(index, max, limit),
      above: async (index, min, limit) => within(index, (score) => score > min, limit),
      last: async (index, limit) =>
        upTo(index, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY).reverse().slice(0, limit),
      async before(index, member, limit) {
        const all = upTo(index, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
        return all
          .slice(0, Math.max(0, all.indexOf(member)))
          .reverse()
          .slice(0, limit);
      },
      scheduleIn: async (index, member, inMs, lifetime) => put(index, member, now() + inMs, lifetime),
      async move(index, from, member, inMs) {
        const wasThere = scoresOf(index).has(member);
        put(index, member, now() + inMs);
        for (const other of from) remove(other, [member]);
        return wasThere;
      },
      async lease(index, from, member, inMs) {
        if ((scoresOf(index).get(member) ?? 0) > now()) return false;
        put(index, member, now() + inMs);
        for (const other of from) remove(other, [member]);
        return true;
      },
      async scheduleAll(index, rule, times) {
        for (const time of times) schedule(index, rule, ...time);
      },
      due: async (...given) => due(...given),
      async takeDue(index, limit, { inMs, longestMs }) {
        const taken = due(index, limit, longestMs);
        for (const member of taken) put(index, member, now() + inMs);
        return taken;
      },
      async leaseDue(index, from, { limit, reserved, inMs }) {
        const taken: (readonly [string, number])[] = [];
        const isLeased = (member: string) => (scoresOf(index).get(member) ?? 0) > now();
        function take({ index: other, longestMs }: { index: string; longestMs: number }, most: number): void {
          if (taken.length >= most) return;
          for (const member of due(other, Number.POSITIVE_INFINITY, longestMs)) {
            if (taken.length >= most) return;
            if (isLeased(member)) continue;
            const first = from.findIndex((one) => (scoresOf(one.index).get(member) ?? Infinity) <= now());
            for (const one of from) remove(one.index, [member]);
            put(index, member, now() + inMs);
            taken.push([member, first === -1 ? from.length : first]);
          }
        }
        for (const one of from) take(one, limit - reserved);
        for (const one of [{ index, longestMs: inMs }, ...from.toReversed()]) take(one, limit);
        return taken;
      },
      async firstDueInMs(index) {
        const scores = [...scoresOf(index).values()];
        return scores.length === 0 ? undefined : scores.reduce((a, b) => Math.min(a, b)) - now();
      },
      size: async (index) => scoresOf(index).size,
    },
    // With the same rules as the scripts in `redis-scripts.ts`.
    chats: {
      async begin({ chat: id, update, token, leaseMs }) {
        const chat = chatOf(id);
        const { lease, failed } = chat;
        if (chat.handled.includes(update)) return { kind: 'handled' };
        const again = lease?.token === token && lease.update === update;
        if (lease) lease.expiresAt = Math.min(lease.expiresAt, now() + leaseMs);
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
          if (read(claim.key) !== claim.expected) return 'conflict';
          if (claim.epoch !== undefined && claim.epoch !== MEMORY_EPOCH) return 'conflict';
          write(claim.key, claim.value, claim.ttlMs);
        }
        if (session !== undefined) chat.session = session ?? undefined;
        if (conversation === null) chat.conversation = undefined;
        else if (conversation !== undefined) {
          chat.conversation = { value: conversation, expiresAt: now() + CONVERSATION_TTL_MS };
        }
        chat.handled = [...chat.handled, update].slice(-KNOWN.handled);
        chat.committed = [...chat.committed, token].slice(-KNOWN.committed);
        chat.lease = undefined;
        if (chat.session === undefined) chat.expiresAt = now() + EMPTY_CHAT_TTL_MS;
        return 'committed';
      },

      async release({ chat: id, token, counted = true }) {
        const chat = chatOf(id);
        if (chat.lease?.token !== token) return;
        const attempt = chat.lease.attempt - (counted ? 0 : 1);
        chat.lease = { ...chat.lease, token: '', expiresAt: 0, attempt };
      },

      readConversation: async (chat) => conversationOf(chatOf(chat)),

      async isLatest({ chat: id, update }) {
        const { lease, handled } = chatOf(id);
        return lease === undefined && handled.at(-1) === update;
      },
    },
    // Nothing survives the process, so nothing can be rolled back.
    continuity: async () => ({ epoch: MEMORY_EPOCH, cause: 'new', ageMs: 0 }),
    now,
    durability: async () => ({ durable: false, why: 'everything is kept in memory only (no REDIS_URL)' }),
    check: async () => 'memory',
    inspect: async () => undefined,
    checkWritable: async () => {},
    close: async () => {},
  };
}
