import type { Log } from '../../log.ts';
import type { Turns } from '../../storage/turns.ts';
import { createAtOnce } from '../at-once.ts';
import type { News, NoticeKinds } from '../kinds/kinds.ts';
import type { Deliver } from './deliver.ts';
import { laneOf, type OutboxStore } from './outbox-store.ts';

/** Whoever takes a chat up has this long before another does. */
const TAKEN_MS = 15_000;
const ELSEWHERE_MS = 1_000;
/** As little later as still makes a difference above the times of what isn't about money. */
const AFTER_MS = 1 / 32;
const BATCH = 200;
const AT_ONCE = 32;
const WAITING = 5_000;

/** A notice to whom it is for: in a private chat, whose number is its user's. `account`: while they hold it. */
export type NewNotice = News & { chat: number; account?: number };

/**
 * What people are to be told, until they were: in order in each chat, news of money first, at Telegram's pace. It is told
 * once; twice only where a process died between the sending and its being written down.
 */
export interface Outbox {
  /** Resolves once it is stored. What was added before, by kind, account and id, is not told again. */
  add(notice: NewNotice): Promise<void>;
  /** They are at the chat: what may have been told before is said once more, as what it is. */
  here(chat: number): Promise<void>;
  /** They are back, if they were gone: what waits for them is told. */
  returned(chat: number): Promise<void>;
  /** Takes up the chats whose time has come. */
  run(): Promise<void>;
  close(): Promise<void>;
}

export function createOutbox(deps: {
  store: OutboxStore;
  deliver: Deliver;
  noticeKinds: NoticeKinds;
  turns: Turns;
  now: () => number;
  log: Log;
}): Outbox {
  const { store, deliver, noticeKinds, turns, now, log } = deps;

  let latest = 0;
  /** In the order in which they were added, also within one millisecond. */
  function stamp(): number {
    latest = Math.max(now(), latest + AFTER_MS);
    return latest;
  }

  async function work(name: string): Promise<void> {
    const chat = Number(name);
    // It stays due whatever becomes of this process.
    await store.goOn(chat, 'other', TAKEN_MS);
    const turn = await turns.take(`telling:{${chat}}`, async () => {
      const nextMs = await deliver(chat);
      if (nextMs === undefined) await leave(chat);
      else await goOn(chat, nextMs);
    });
    if (turn === 'busy') await store.dueIn(chat, 'other', ELSEWHERE_MS);
  }

  /** What was added while it left has only just marked it as due. */
  async function leave(chat: number): Promise<void> {
    await store.leave(chat);
    if (!(await store.isRetired(chat)) && (await store.waiting(chat, 1)).length > 0) await goOn(chat, 0);
  }

  async function goOn(chat: number, ms: number): Promise<void> {
    const [next] = await store.waiting(chat, 1);
    if (next === undefined) return leave(chat);
    await store.goOn(chat, laneOf(next.notice), ms);
    if (ms === 0) begin(chat, next.notice.isMoney);
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
      if (await store.sayAgain(chat)) begin(chat, true);
    },
    async returned(chat) {
      if (!(await store.isRetired(chat))) return;
      // Due before, whoever dies in between; and after, where it was taken up and left in between.
      await store.dueIn(chat, 'money', 0);
      await store.comeBack(chat);
      await store.dueIn(chat, 'money', 0);
      begin(chat, true);
    },
    async run() {
      await store.takeBack();
      for (const { chat, lane } of await store.due(BATCH)) begin(chat, lane === 'money');
    },
    close: atOnce.close,
  };
}
