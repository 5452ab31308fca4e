import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

/** Notification as stored until it is sent. */
export const noticeSchema = z.object({
  kind: z.string(),
  id: z.string(),
  /** Sent before notifications that aren't about money. */
  isMoney: z.boolean(),
  /** Sent only while the user holds this account. */
  account: z.number().optional(),
  data: z.unknown(),
  /** Epoch milliseconds: when it was queued. Determines its position in the chat. */
  at: z.number(),
  /** Number of failed attempts. */
  tries: z.number(),
  /** Sending got no response, so the notification may have been delivered. */
  unclear: z.boolean().optional(),
  /** To be sent a second time, after an unclear delivery. */
  isSecond: z.boolean().optional(),
  /** Sent a second time, after a crash or an unclear delivery. No timer sends it a third time. */
  isRetold: z.boolean().optional(),
  /** May have been delivered before. The message says so. */
  isAgain: z.boolean().optional(),
});

type Notice = z.infer<typeof noticeSchema>;

/**
 * Returns a name that is unique within the chat. Long or unusual names are hashed, because ids contain text from the
 * service.
 */
function nameOf({ kind, account, id }: Notice): string {
  const name = `${kind}:${account ?? ''}:${id}`;
  return /^[\w.:,#-]{1,120}$/.test(name) ? name : createHash('sha256').update(name).digest('base64url');
}

/**
 * Minimum time between two messages of a kind that can be grouped, in milliseconds. Notifications in between are
 * batched.
 */
const GATHER_MS = 3_000;
/** TTL of a chat's marks, in milliseconds. Equals that of a notification. */
const CHAT_MARK_TTL_MS = 31 * 24 * 3600_000;

/** Unclear notifications of a chat to send again: those that were sent once, or all. */
type Again = 'once' | 'all';

/** Temporary state of a chat, shared by all replicas. */
interface ChatMarks {
  /** Stops sending to the chat for `ms`, also for notifications that are added later. */
  pause(chat: number, ms: number): Promise<void>;
  isPaused(chat: number): Promise<boolean>;
  /**
   * Records that notifications of this kind were just sent. `isGathering` returns whether further ones are still
   * batched.
   */
  gather(chat: number, kind: string): Promise<void>;
  isGathering(chat: number, kind: string): Promise<boolean>;
  /** Requests that the process with the chat's lease sends unclear notifications again. `all` includes `once`. */
  wantAgain(chat: number, which: Again): Promise<void>;
  wantedAgain(chat: number): Promise<Again | undefined>;
  hadAgain(chat: number): Promise<void>;
  /** Stops sending to the chat until `comeBack` is called. */
  retire(chat: number): Promise<void>;
  isRetired(chat: number): Promise<boolean>;
  comeBack(chat: number): Promise<void>;
}

function createChatMarks({
  storage,
}: {
  storage: Pick<Storage, 'get' | 'set' | 'add' | 'delete'>;
}): ChatMarks {
  const pausedKey = (chat: number) => `notices-paused:{${chat}}`;
  const gatherKey = (chat: number, kind: string) => `notices-gathered:{${chat}}:${kind}`;
  const againKey = (chat: number) => `notices-again:{${chat}}`;
  const retiredKey = (chat: number) => `retired:{${chat}}`;
  const has = async (key: string) => (await storage.get(key)) !== undefined;
  return {
    pause: (chat, ms) => storage.set(pausedKey(chat), '', { ttlMs: ms }),
    isPaused: (chat) => has(pausedKey(chat)),
    gather: (chat, kind) => storage.set(gatherKey(chat, kind), '', { ttlMs: GATHER_MS }),
    isGathering: (chat, kind) => has(gatherKey(chat, kind)),
    async wantAgain(chat, which) {
      if (which === 'all') await storage.set(againKey(chat), which, { ttlMs: CHAT_MARK_TTL_MS });
      else await storage.add(againKey(chat), which, { ttlMs: CHAT_MARK_TTL_MS });
    },
    async wantedAgain(chat) {
      const which = await storage.get(againKey(chat));
      return which === undefined || which === 'once' ? which : 'all';
    },
    hadAgain: (chat) => storage.delete(againKey(chat)),
    retire: (chat) => storage.set(retiredKey(chat), '', { ttlMs: CHAT_MARK_TTL_MS }),
    isRetired: (chat) => has(retiredKey(chat)),
    comeBack: (chat) => storage.delete(retiredKey(chat)),
  };
}

/** Time until a chat is due again if the process that delivers to it crashes, in milliseconds. */
const LEASE_MS = 15_000;
const ELSEWHERE_MS = 1_000;

const MONEY = 'outbox:money';
const OTHER = 'outbox:other';
const TAKEN = 'outbox:taken';
/** Due queues of chats with waiting notifications. */
export const DUE = [MONEY, OTHER, TAKEN] as const;

const indexFor = (isMoney: boolean) => (isMoney ? MONEY : OTHER);

/**
 * Due queues of chats, those with notifications about money first. A chat is in none of them only if nothing waits
 * there.
 */
export interface DueChats {
  /** Makes the chat due because a notification was added. */
  add(chat: number, isMoney: boolean): Promise<void>;
  /**
   * Marks the chat as being delivered to. Returns whether it was already marked: then a process crashed during a
   * delivery, and its progress is unknown. The caller must hold the chat's lease.
   */
  take(chat: number): Promise<boolean>;
  /** Removes the mark of `take`. Notifications that were added since have made the chat due again. */
  leave(chat: number): Promise<void>;
  /** Removes the mark of `take` and makes the chat due within `ms`. */
  goOn(chat: number, isMoney: boolean, ms: number): Promise<void>;
  /** Postpones the chat because another process holds its lease. */
  putOff(chat: number): Promise<void>;
  due(limit: number): Promise<{ chat: number; isMoney: boolean }[]>;
  /** Removes the chat from all queues. The caller must hold the chat's lease. */
  forget(chat: number): Promise<unknown>;
}

export function createDueChats({ storage }: { storage: Pick<Storage, 'index'> }): DueChats {
  const { index } = storage;

  /** Returns due chats. Drops malformed members; they would block the queue. */
  async function dueIn(name: string, limit: number): Promise<number[]> {
    const members = await index.due(name, limit);
    const odd = members.filter((member) => String(Number(member)) !== member);
    if (odd.length > 0) await index.remove(name, ...odd);
    return members.filter((member) => !odd.includes(member)).map(Number);
  }

  return {
    add: (chat, isMoney) => index.scheduleNoLaterThan(indexFor(isMoney), String(chat), 0),
    take: (chat) => index.move(TAKEN, [MONEY, OTHER], String(chat), LEASE_MS),
    leave: (chat) => index.remove(TAKEN, String(chat)),
    async goOn(chat, isMoney, ms) {
      await index.scheduleNoLaterThan(indexFor(isMoney), String(chat), ms);
      await index.remove(TAKEN, String(chat));
    },
    putOff: async (chat) => void (await index.move(OTHER, [MONEY], String(chat), ELSEWHERE_MS)),
    forget: (chat) => Promise.all(DUE.map((name) => index.remove(name, String(chat)))),
    async due(limit) {
      const [money = [], other = [], taken = []] = await Promise.all(DUE.map((name) => dueIn(name, limit)));
      const chats = [
        ...[...taken, ...money].map((chat) => ({ chat, isMoney: true })),
        ...other.map((chat) => ({ chat, isMoney: false })),
      ];
      return chats.slice(0, limit);
    },
  };
}

/**
 * TTL of a notification and of the record that it was sent, in milliseconds. Covers the time in which its cause can be
 * reported again.
 */
const NOTIFICATION_TTL_MS = 31 * 24 * 3600_000;
/**
 * Score offset of notifications that aren't about money, larger than any time in epoch milliseconds. Places them after
 * all that are.
 */
const AFTER_MONEY = 1e14;
/** Maximum number of notifications kept for a user who has blocked the bot. */
const MAX_WAITING = 200;
/** Time until a quarantined notification returns to its chat, in milliseconds. */
const ASIDE_MS = 10 * 60_000;
/** Time until an unclear notification is sent a second time, in milliseconds. */
const UNCLEAR_MS = 15_000;
export const TOLD = 'told';

/** Key prefix of notifications. */
export const NOTICES = 'notice:';

/** Due queue of chats with unclear notifications that were sent once, by the time of their second sending. */
const UNCLEAR = 'outbox:unclear';
/** Due queue of quarantined notifications, as `chat/name`. */
export const ASIDE = 'outbox:aside';
export const keyOf = (chat: number, name: string) => `${NOTICES}{${chat}}:${name}`;

/** Notification with its name in its chat. */
export interface Waiting {
  name: string;
  notice: Notice;
}

/**
 * Stored notifications of each chat in sending order, and records of those that were sent. They are signed, because
 * users read them.
 */
export interface OutboxStore extends ChatMarks {
  /** Stores a notification and makes its chat due. Does nothing if it was sent before, or may have been. */
  add(chat: number, notice: Notice): Promise<void>;
  /**
   * Returns whether the chat has unclear notifications. May be outdated for a moment after the last one was resolved.
   */
  hasUnclear(chat: number): Promise<boolean>;
  /** Returns the first waiting notifications in sending order: those about money first. */
  waiting(chat: number, limit: number): Promise<Waiting[]>;
  /**
   * Returns notifications whose sending got no response, so that they may have been delivered. The caller must hold the
   * chat's lease.
   */
  unclear(chat: number, limit: number): Promise<Waiting[]>;
  told(chat: number, names: readonly string[]): Promise<void>;
  /** Marks notifications as unclear. Schedules a second sending of those that were sent once. */
  becameUnclear(chat: number, waiting: readonly Waiting[]): Promise<void>;
  /**
   * Moves unclear notifications back to the waiting ones, marked as possibly delivered. The caller must hold the chat's
   * lease.
   */
  sayAgain(chat: number, which: Again): Promise<void>;
  /** Restarts the delay until the second sending of unclear notifications. */
  postponeUnclear(chat: number): Promise<void>;
  failed(chat: number, one: Waiting): Promise<void>;
  /** Marks notifications right before their second sending, which follows a crash or an unclear delivery. */
  retold(chat: number, waiting: readonly Waiting[]): Promise<void>;
  /** Quarantines a notification for ten minutes, so that it doesn't block its chat. */
  setAside(chat: number, name: string): Promise<void>;
  /**
   * Restores quarantined notifications that are due, in their former order. Each comes due again ten minutes later
   * until it is sent. Also makes chats due whose unclear notifications are to be sent again.
   */
  takeBack(): Promise<void>;
  /** Removes the oldest notifications of a blocked chat if too many wait. Removes those about money last. */
  trim(chat: number): Promise<void>;
  /**
   * Erases all notifications of a chat. `keys`: all keys with the chat's tag. The caller must hold the chat's lease.
   */
  forget(chat: number, keys: readonly string[]): Promise<void>;
}

export function createOutboxStore({
  storage,
  records,
  dueChats,
}: {
  storage: Pick<Storage, 'index' | 'get' | 'set' | 'add' | 'delete'>;
  records: SignedRecords;
  dueChats: Pick<DueChats, 'add'>;
}): OutboxStore {
  const { index } = storage;
  const lifetime = { ttlMs: NOTIFICATION_TTL_MS };
  const listOf = (chat: number) => `notices-of:{${chat}}`;
  const unclearOf = (chat: number) => `notices-unclear:{${chat}}`;

  async function find(chat: number, name: string): Promise<Notice | typeof TOLD | undefined> {
    const content = (await records.get(keyOf(chat, name)))?.content;
    return content === undefined || content === TOLD ? content : noticeSchema.parse(JSON.parse(content));
  }

  const write = (chat: number, name: string, content: Notice | typeof TOLD) =>
    records.set(keyOf(chat, name), content === TOLD ? TOLD : JSON.stringify(content), lifetime);

  async function read(chat: number, limit: number, isUnclear: boolean): Promise<Waiting[]> {
    const list = isUnclear ? unclearOf(chat) : listOf(chat);
    const names = await index.upTo(list, Number.MAX_VALUE, limit);
    const found = await Promise.all(names.map((name) => find(chat, name)));
    const waiting = names.flatMap((name, at) => {
      const notice = found[at];
      const isHere = notice !== undefined && notice !== TOLD && (notice.unclear ?? false) === isUnclear;
      return isHere ? [{ name, notice }] : [];
    });
    // Removes entries that were sent, can't be verified, or are now in the other list.
    const present = new Set(waiting.map(({ name }) => name));
    await index.remove(list, ...names.filter((name) => !present.has(name)));
    return waiting;
  }

  /**
   * Adds a notification to its list, then makes the chat due. In this order, a process that takes or releases the chat
   * finds it.
   */
  async function put(chat: number, name: string, { at, isMoney }: Notice): Promise<void> {
    await index.put(listOf(chat), name, at + (isMoney ? 0 : AFTER_MONEY), lifetime);
    await dueChats.add(chat, isMoney);
  }

  async function told(chat: number, names: readonly string[]): Promise<void> {
    // Recorded as sent before it leaves the list, so that a crash in between loses nothing.
    await Promise.all(names.map((name) => write(chat, name, TOLD)));
    await index.remove(listOf(chat), ...names);
  }

  const marks = createChatMarks({ storage });
  const postponeUnclear = (chat: number) => index.scheduleNoLaterThan(UNCLEAR, String(chat), UNCLEAR_MS);

  return {
    ...marks,
    async add(chat, notice) {
      const name = nameOf(notice);
      const added = await records.add(keyOf(chat, name), JSON.stringify(notice), lifetime);
      const present = added ? notice : await find(chat, name);
      if (isBehind(present)) return;
      // A record that fails verification is treated as missing and overwritten.
      if (present === undefined) await write(chat, name, notice);
      await put(chat, name, present ?? notice);
    },
    hasUnclear: async (chat) => (await index.upTo(unclearOf(chat), Number.MAX_VALUE, 1)).length > 0,
    waiting: (chat, limit) => read(chat, limit, false),
    unclear: (chat, limit) => read(chat, limit, true),
    told,
    postponeUnclear,
    async becameUnclear(chat, waiting) {
      // Scheduled first, so that a crash in between loses nothing.
      if (waiting.some(({ notice }) => wasSentOnce(notice))) await postponeUnclear(chat);
      for (const { name, notice } of waiting) {
        await index.put(unclearOf(chat), name, notice.at, lifetime);
        await write(chat, name, { ...notice, unclear: true });
        await index.remove(listOf(chat), name);
      }
    },
    async sayAgain(chat, which) {
      const unclear = await read(chat, MAX_WAITING, true);
      const chosen = unclear.filter(({ notice }) => which === 'all' || wasSentOnce(notice));
      for (const { name, notice } of chosen) {
        const { unclear: _, isRetold: __, ...rest } = notice;
        const again = { ...rest, isAgain: true, isSecond: which === 'once' };
        // Listed before its record changes. After a crash in between, the second sending is requested again.
        await put(chat, name, again);
        await write(chat, name, again);
        await index.remove(unclearOf(chat), name);
      }
    },
    async failed(chat, { name, notice }) {
      await write(chat, name, { ...notice, tries: notice.tries + 1 });
    },
    async retold(chat, waiting) {
      await Promise.all(waiting.map(({ name, notice }) => write(chat, name, { ...notice, isRetold: true })));
    },
    async setAside(chat, name) {
      await index.scheduleIn(ASIDE, `${chat}/${name}`, ASIDE_MS);
      await index.remove(listOf(chat), name);
    },
    async takeBack() {
      for (const member of await index.due(UNCLEAR, MAX_WAITING)) {
        await marks.wantAgain(Number(member), 'once');
        await dueChats.add(Number(member), true);
        await index.remove(UNCLEAR, member);
      }
      for (const member of await index.due(ASIDE, MAX_WAITING)) {
        const [chat, name = ''] = member.split('/');
        const notice = await find(Number(chat), name);
        if (notice === undefined || isBehind(notice)) {
          await index.remove(ASIDE, member);
          continue;
        }
        await put(Number(chat), name, notice);
        await index.scheduleIn(ASIDE, member, ASIDE_MS);
      }
    },
    async forget(chat, keys) {
      const notices = keys.filter((key) => key.startsWith(keyOf(chat, '')));
      const names = notices.map((key) => key.slice(keyOf(chat, '').length));
      await index.remove(ASIDE, ...names.map((name) => `${chat}/${name}`));
      await index.remove(UNCLEAR, String(chat));
      await Promise.all([...notices, listOf(chat), unclearOf(chat)].map((key) => storage.delete(key)));
    },
    async trim(chat) {
      const [all, money] = await Promise.all(
        [Number.MAX_VALUE, AFTER_MONEY].map((max) => index.upTo(listOf(chat), max, 2 * MAX_WAITING)),
      );
      const [names = [], ofMoney = []] = [all, money];
      const oldestFirst = [...names.slice(ofMoney.length), ...ofMoney];
      await told(chat, oldestFirst.slice(0, Math.max(0, names.length - MAX_WAITING)));
    },
  };
}

/** Returns whether a notification was sent only once, and not again after a crash or an unclear delivery. */
function wasSentOnce({ isAgain, isRetold }: Notice): boolean {
  return isAgain !== true && isRetold !== true;
}

/** Returns whether a notification was sent, or may have been. Adding it again then changes nothing. */
function isBehind(
  present: Notice | typeof TOLD | undefined,
): present is typeof TOLD | (Notice & { unclear: true }) {
  return present === TOLD || present?.unclear === true;
}
