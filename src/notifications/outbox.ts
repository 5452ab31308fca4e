import type { Turns } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { type SignedRecords, untilWritten } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createAtOnce } from '../platform/work-queue.ts';
import type { Deliver } from './delivery.ts';
import type { News, NoticeKinds } from './kinds.ts';
import { ASIDE, DUE, type DueChats, keyOf, noticeSchema, type OutboxStore, TOLD } from './outbox-store.ts';

/** Of each lane: beyond it nobody counts. */
const COUNTED = 100;
/** Of each, how many are asked for their age: those that are due the longest. */
const ASKED = 10;

/** What waits to be told: in how many chats, or in more than these, and for how long the longest. */
export interface Backlog {
  chats: number;
  isMore: boolean;
  oldestMs: number | undefined;
}

/** Looks at what waits, with few reads however much that is. */
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

/** As little later as still makes a difference above the times of what isn't about money. */
const AFTER_MS = 1 / 32;
const BATCH = 200;
const AT_ONCE = 32;
const WAITING = 5_000;

/** A notice to whom it is for: in a private chat, whose number is its user's. `account`: while they hold it. */
export type NewNotice = News & { chat: number; account?: number };

/**
 * What people are to be told, until they were: in order in each chat, news of money first, at Telegram's pace. Each is
 * sent once. It is sent once more if a process died before it wrote down what became of it, or 15 seconds after a
 * sending that Telegram didn't answer. If that isn't answered either, it stands below the next message of the chat, or
 * is sent when its reader opens the menu.
 */
export interface Outbox {
  /** Resolves once it is stored. What was added before, by kind, account and id, is not told again. */
  add(notice: NewNotice): Promise<void>;
  /** They are at the chat: what may have been told before is said once more, as what it is. */
  here(chat: number): Promise<void>;
  /** They are back, if they were gone: what waits for them is told. */
  returned(chat: number): Promise<void>;
  /** Whose chat it is is being forgotten: nothing of it stays; `keys`: all that carry its tag. */
  forget(chat: number, keys: readonly string[]): Promise<void>;
  /** Takes up the chats whose time has come. */
  run(): Promise<void>;
  close(): Promise<void>;
}

export function createOutbox(deps: {
  store: OutboxStore;
  dueChats: DueChats;
  deliver: Deliver;
  noticeKinds: NoticeKinds;
  turns: Turns;
  now: () => number;
  log: Log;
}): Outbox {
  const { store, dueChats, deliver, noticeKinds, turns, now, log } = deps;

  let latest = 0;
  /** In the order in which they were added, also within one millisecond. */
  function stamp(): number {
    latest = Math.max(now(), latest + AFTER_MS);
    return latest;
  }

  const turnOf = (chat: number) => `telling:{${chat}}`;

  async function work(name: string): Promise<void> {
    const chat = Number(name);
    const turn = await turns.take(turnOf(chat), async (isMine) => {
      // It stays due whatever becomes of this process.
      const isRetaken = await dueChats.take(chat);
      const nextMs = await deliver(chat, { isMine, isRetaken });
      // Whoever else has taken it up by now leaves it.
      if (isMine()) await (nextMs === undefined ? dueChats.leave(chat) : goOn(chat, nextMs));
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

  const atOnce = createAtOnce({
    work,
    ...{ limit: AT_ONCE, most: WAITING, failed: 'a chat could not be told yet', log },
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
      // Due before, whoever dies in between; and after, where it was taken up and left in between.
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
      // Whoever is telling there would write down what they told.
      await untilWritten(async () => (await turns.take(turnOf(chat), erase)) === 'done' || undefined);
    },
    async run() {
      await store.takeBack();
      for (const { chat, isMoney } of await dueChats.due(BATCH)) begin(chat, isMoney);
    },
    close: atOnce.close,
  };
}
