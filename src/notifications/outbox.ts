import type { Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { retryOnConflict, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createWorkQueue } from '../platform/work-queue.ts';
import type { Deliver } from './delivery.ts';
import type { News, NoticeKinds } from './kinds.ts';
import { ASIDE, DUE, type DueChats, keyOf, noticeSchema, type OutboxStore, TOLD } from './outbox-store.ts';

/** Maximum number of entries that are counted in each queue. */
const COUNTED = 100;
/** Number of entries in each queue whose age is read: those with the earliest due time. */
const ASKED = 10;

/**
 * Waiting notifications: number of chats, whether there are more, and the age of the oldest one found, in milliseconds.
 */
export interface Backlog {
  chats: number;
  isMore: boolean;
  oldestMs: number | undefined;
}

/** Creates a function that measures the backlog with a bounded number of reads. */
export function createBacklog(deps: {
  storage: Pick<Storage, 'index'>;
  records: Pick<SignedRecords, 'get'>;
  store: Pick<OutboxStore, 'waiting'>;
  now: () => number;
}): () => Promise<Backlog> {
  const { storage, records, store, now } = deps;

  async function oldestIn(chat: number): Promise<number | undefined> {
    const [first] = await store.waiting(chat, 1);
    return first?.notice.at;
  }

  async function setAsideAt(member: string): Promise<number | undefined> {
    const [chat, name = ''] = member.split('/');
    const content = (await records.get(keyOf(Number(chat), name)))?.content;
    return content === undefined || content === TOLD ? undefined : noticeSchema.parse(JSON.parse(content)).at;
  }

  return async () => {
    const [aside = [], ...lanes] = await Promise.all(
      [ASIDE, ...DUE].map((each) => storage.index.upTo(each, Number.MAX_VALUE, COUNTED + 1)),
    );
    const chats = new Set([...lanes.flat(), ...aside.map((member) => member.split('/')[0] ?? '')]);
    const longestDue = new Set(lanes.flatMap((lane) => lane.slice(0, ASKED)));
    const ages = await Promise.all([
      ...[...longestDue].map((chat) => oldestIn(Number(chat))),
      ...aside.slice(0, ASKED).map(setAsideAt),
    ]);
    const since = ages.filter((at) => at !== undefined);
    return {
      chats: Math.min(chats.size, COUNTED),
      isMore: chats.size > COUNTED,
      oldestMs: since.length > 0 ? Math.max(0, now() - Math.min(...since)) : undefined,
    };
  };
}

/**
 * Minimum difference between two timestamps, in milliseconds. Also representable above the score offset of
 * notifications that aren't about money.
 */
const AFTER_MS = 1 / 32;
const BATCH = 200;
const CONCURRENCY = 32;
const WAITING = 5_000;

/** Notification for a private chat, whose ID is its user's. `account`: sent only while the user holds it. */
export type NewNotice = News & { chat: number; account?: number };

/**
 * Queue of notifications until they are sent: in order within each chat, those about money first, at Telegram's pace.
 * Each notification is sent once. A second sending follows if a process crashes before it stores the result, or 15
 * seconds after a sending without a response. If the second one gets no response either, the next message of the chat
 * repeats it, or it is sent when the user opens the menu.
 */
export interface Outbox {
  /**
   * Resolves once the notification is stored. Does nothing if the chat has had one with the same kind, account and id.
   */
  add(notice: NewNotice): Promise<void>;
  /**
   * Sends unclear notifications again because the user is active in the chat. The messages say that they may be
   * repeated.
   */
  here(chat: number): Promise<void>;
  /** Resumes sending to a user who had blocked the bot. Does nothing for others. */
  returned(chat: number): Promise<void>;
  /** Erases all notifications of a user who is being erased. `keys`: all keys with the chat's tag. */
  forget(chat: number, keys: readonly string[]): Promise<void>;
  /** Starts deliveries to all chats that are due. */
  run(): Promise<void>;
  close(): Promise<void>;
}

export function createOutbox(deps: {
  store: OutboxStore;
  dueChats: DueChats;
  deliver: Deliver;
  noticeKinds: NoticeKinds;
  leases: Leases;
  now: () => number;
  log: Log;
}): Outbox {
  const { store, dueChats, deliver, noticeKinds, leases, now, log } = deps;

  let latest = 0;
  /**
   * Returns the current time, strictly increasing. Keeps the order of notifications that are added within one
   * millisecond.
   */
  function stamp(): number {
    latest = Math.max(now(), latest + AFTER_MS);
    return latest;
  }

  const turnOf = (chat: number) => `telling:{${chat}}`;

  async function work(name: string): Promise<void> {
    const chat = Number(name);
    const turn = await leases.withLease(turnOf(chat), async (isHeld) => {
      // If this process crashes, the chat becomes due again.
      const isRetaken = await dueChats.take(chat);
      const nextMs = await deliver(chat, { isHeld, isRetaken });
      // If the lease has expired, the process that now holds it releases the chat.
      if (isHeld()) await (nextMs === undefined ? dueChats.leave(chat) : goOn(chat, nextMs));
    });
    if (turn === 'busy') await dueChats.putOff(chat);
  }

  async function goOn(chat: number, ms: number): Promise<void> {
    const [next] = await store.waiting(chat, 1);
    if (next === undefined) return dueChats.leave(chat);
    const { isMoney } = next.notice;
    await dueChats.goOn(chat, isMoney, ms);
    if (ms === 0) begin(chat, isMoney);
  }

  const atOnce = createWorkQueue({
    work,
    ...{ limit: CONCURRENCY, most: WAITING, failed: 'delivery to a chat failed; it will be retried', log },
  });

  const begin = (chat: number, isMoney: boolean) =>
    atOnce.begin(String(chat), isMoney ? 'urgent' : undefined);

  return {
    async add({ chat, kind, id, account, data }) {
      const isMoney = noticeKinds.of(kind)?.isMoney === true;
      const whose = account !== undefined && { account };
      await store.add(chat, { kind, id, isMoney, ...whose, data, at: stamp(), tries: 0 });
      begin(chat, isMoney);
    },
    async here(chat) {
      if (!(await store.hasUnclear(chat))) return;
      await store.wantAgain(chat, 'all');
      await dueChats.add(chat, true);
      begin(chat, true);
    },
    async returned(chat) {
      if (!(await store.isRetired(chat))) return;
      // Made due before, in case this process crashes in between. Made due again after, in case another process
      // delivered to the chat in between, while it still counted as blocked.
      await dueChats.add(chat, true);
      await store.comeBack(chat);
      await dueChats.add(chat, true);
      begin(chat, true);
    },
    async forget(chat, keys) {
      const erase = async () => {
        await dueChats.forget(chat);
        await store.forget(chat, keys);
      };
      // Waits for the lease: a delivery in progress would still store its result.
      await retryOnConflict(
        async () => (await leases.withLease(turnOf(chat), erase)) === 'done' || undefined,
      );
    },
    async run() {
      await store.takeBack();
      for (const { chat, isMoney } of await dueChats.due(BATCH)) begin(chat, isMoney);
    },
    close: atOnce.close,
  };
}
