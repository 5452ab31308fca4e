import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

/** A notice as it is stored until it was told. */
export const noticeSchema = z.object({
  kind: z.string(),
  id: z.string(),
  /** It goes before what isn't about money. */
  isMoney: z.boolean(),
  /** For whom holds this account, and nobody else. */
  account: z.number().optional(),
  data: z.unknown(),
  /** Epoch milliseconds: since when it is to be told, and so its place in its chat. */
  at: z.number(),
  /** How often telling it failed. */
  tries: z.number(),
  /** Telling it got no answer: nobody knows whether it was told. */
  unclear: z.boolean().optional(),
  /** To be sent a second time, after an unclear delivery. */
  isSecond: z.boolean().optional(),
  /** Sent a second time, after a crash or an unclear delivery. No timer sends it a third time. */
  isRetold: z.boolean().optional(),
  /** It may have been told before, and is said to be so. */
  isAgain: z.boolean().optional(),
});

type Notice = z.infer<typeof noticeSchema>;

/** By which it is known in its chat. Ids are the service's words, in part: a hash of what is long or odd. */
function nameOf({ kind, account, id }: Notice): string {
  const name = `${kind}:${account ?? ''}:${id}`;
  return /^[\w.:,#-]{1,120}$/.test(name) ? name : createHash('sha256').update(name).digest('base64url');
}

/** Several of a kind are told together, no sooner than this after the last of them. */
const GATHER_MS = 3_000;
/** As long as a notice is kept. */
const CHAT_MARK_TTL_MS = 31 * 24 * 3600_000;

/** Which unclear notices of a chat are to be sent again: those that were sent once, or all of them. */
type Again = 'once' | 'all';

/** What holds in a chat for a while, whichever replica tells there. */
interface ChatMarks {
  /** Telegram is asked nothing there for so long, whatever is added meanwhile. */
  pause(chat: number, ms: number): Promise<void>;
  isPaused(chat: number): Promise<boolean>;
  /** Notices of this kind were told just now; and whether they were within the time in which more are gathered. */
  gather(chat: number, kind: string): Promise<void>;
  isGathering(chat: number, kind: string): Promise<boolean>;
  /** Requests that the process which holds the chat's lease sends unclear notices again. `all` includes `once`. */
  wantAgain(chat: number, which: Again): Promise<void>;
  wantedAgain(chat: number): Promise<Again | undefined>;
  hadAgain(chat: number): Promise<void>;
  /** Nothing is sent to this chat until it comes back. */
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

/** Whoever takes a chat up has this long before another does. */
const TAKEN_MS = 15_000;
const ELSEWHERE_MS = 1_000;

const MONEY = 'outbox:money';
const OTHER = 'outbox:other';
const TAKEN = 'outbox:taken';
/** Where the chats are for which something waits, by when they are looked at next. */
export const DUE = [MONEY, OTHER, TAKEN] as const;

const indexFor = (isMoney: boolean) => (isMoney ? MONEY : OTHER);

/** Which chats come next, those with news of money first. A chat is in none only while nothing waits there. */
export interface DueChats {
  /** Something was added there. */
  add(chat: number, isMoney: boolean): Promise<void>;
  /**
   * Only for whoever has the chat's turn. Answers whether somebody has taken it up before and never left it: they died
   * over it, and nobody knows how far they came.
   */
  take(chat: number): Promise<boolean>;
  /** Left by whoever took it up: what was added meanwhile has marked it as due. */
  leave(chat: number): Promise<void>;
  /** The same, where it goes on there after so many milliseconds. */
  goOn(chat: number, isMoney: boolean, ms: number): Promise<void>;
  /** Somebody else has its turn. */
  putOff(chat: number): Promise<void>;
  due(limit: number): Promise<{ chat: number; isMoney: boolean }[]>;
  /** Nothing waits there any more. Only for whoever has the chat's turn. */
  forget(chat: number): Promise<unknown>;
}

export function createDueChats({ storage }: { storage: Pick<Storage, 'index'> }): DueChats {
  const { index } = storage;

  /** A name that this house doesn't give would stay due for ever, in the way of others. */
  async function dueIn(name: string, limit: number): Promise<number[]> {
    const members = await index.due(name, limit);
    const odd = members.filter((member) => String(Number(member)) !== member);
    if (odd.length > 0) await index.remove(name, ...odd);
    return members.filter((member) => !odd.includes(member)).map(Number);
  }

  return {
    add: (chat, isMoney) => index.putWithin(indexFor(isMoney), String(chat), 0),
    take: (chat) => index.moveIn(TAKEN, [MONEY, OTHER], String(chat), TAKEN_MS),
    leave: (chat) => index.remove(TAKEN, String(chat)),
    async goOn(chat, isMoney, ms) {
      await index.putWithin(indexFor(isMoney), String(chat), ms);
      await index.remove(TAKEN, String(chat));
    },
    putOff: async (chat) => void (await index.moveIn(OTHER, [MONEY], String(chat), ELSEWHERE_MS)),
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

/** That it was told is known for as long as what it tells can come again. */
const NOTIFICATION_TTL_MS = 31 * 24 * 3600_000;
/** Above any time in epoch milliseconds: what isn't about money comes after all that is. */
const AFTER_MONEY = 1e14;
/** More aren't kept for who has blocked the bot. */
const MOST_WAITING = 200;
/** One that was set aside comes back after this. */
const ASIDE_MS = 10 * 60_000;
/** Time after which an unclear notice is sent a second time. */
const UNCLEAR_MS = 15_000;
export const TOLD = 'told';

/** What the keys of notices begin with. */
export const NOTICES = 'notice:';

/** Chats with unclear notices that were sent once, by the time of their second sending. */
const UNCLEAR = 'outbox:unclear';
/** What was set aside, as `chat/name`. */
export const ASIDE = 'outbox:aside';
export const keyOf = (chat: number, name: string) => `${NOTICES}{${chat}}:${name}`;

/** A notice in its chat. */
export interface Waiting {
  name: string;
  notice: Notice;
}

/** What waits to be told, by chat and in order; which chats come next; and what was told. Signed: it speaks to people. */
export interface OutboxStore extends ChatMarks {
  /** Nothing where it was told before, or may have been. It is due by the time that it is stored. */
  add(chat: number, notice: Notice): Promise<void>;
  /** Whether there are any whose telling got no answer, or were a moment ago. */
  hasUnclear(chat: number): Promise<boolean>;
  /** The first of them, in the order in which they are to be told: money first. */
  waiting(chat: number, limit: number): Promise<Waiting[]>;
  /** Those whose telling got no answer: nobody knows whether they were told. Only for whoever has the chat's turn. */
  unclear(chat: number, limit: number): Promise<Waiting[]>;
  told(chat: number, names: readonly string[]): Promise<void>;
  /** Stores that their delivery is unclear. Schedules a second sending of those that were sent once. */
  becameUnclear(chat: number, waiting: readonly Waiting[]): Promise<void>;
  /** Puts unclear notices back among the waiting ones, marked as perhaps known. Only for the holder of the chat's turn. */
  sayAgain(chat: number, which: Again): Promise<void>;
  /** Schedules the second sending of unclear notices anew. */
  postponeUnclear(chat: number): Promise<void>;
  failed(chat: number, one: Waiting): Promise<void>;
  /** Marks notices right before they are sent a second time, after a crash or an unclear delivery. */
  retold(chat: number, waiting: readonly Waiting[]): Promise<void>;
  /** It is put back after ten minutes; its chat goes on without it. */
  setAside(chat: number, name: string): Promise<void>;
  /**
   * Restores notices that were set aside and are due, in their former order. Each comes due again ten minutes later until
   * it is sent. Schedules chats whose unclear notices are to be sent again.
   */
  takeBack(): Promise<void>;
  /** Of a chat that takes nothing: the oldest that aren't about money go, where too many wait. */
  trim(chat: number): Promise<void>;
  /** Erases all of a chat; `keys`: those that carry its tag. Only for whoever has the chat's turn. */
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
    // Told, not ours, or in the other list by now: nobody has taken it out of this one yet.
    const present = new Set(waiting.map(({ name }) => name));
    await index.remove(list, ...names.filter((name) => !present.has(name)));
    return waiting;
  }

  /** In its list before its chat is due: who takes the chat up, or leaves it, must find it there. */
  async function put(chat: number, name: string, { at, isMoney }: Notice): Promise<void> {
    await index.put(listOf(chat), name, at + (isMoney ? 0 : AFTER_MONEY), lifetime);
    await dueChats.add(chat, isMoney);
  }

  async function told(chat: number, names: readonly string[]): Promise<void> {
    // Known to be told before it is no longer to be: whoever dies in between has lost nothing.
    await Promise.all(names.map((name) => write(chat, name, TOLD)));
    await index.remove(listOf(chat), ...names);
  }

  const marks = createChatMarks({ storage });
  const postponeUnclear = (chat: number) => index.putWithin(UNCLEAR, String(chat), UNCLEAR_MS);

  return {
    ...marks,
    async add(chat, notice) {
      const name = nameOf(notice);
      const added = await records.add(keyOf(chat, name), JSON.stringify(notice), lifetime);
      const present = added ? notice : await find(chat, name);
      if (isBehind(present)) return;
      // What isn't ours counts for nothing, and must not be in the way.
      if (present === undefined) await write(chat, name, notice);
      await put(chat, name, present ?? notice);
    },
    hasUnclear: async (chat) => (await index.upTo(unclearOf(chat), Number.MAX_VALUE, 1)).length > 0,
    waiting: (chat, limit) => read(chat, limit, false),
    unclear: (chat, limit) => read(chat, limit, true),
    told,
    postponeUnclear,
    async becameUnclear(chat, waiting) {
      // First, so that a crash in between loses nothing.
      if (waiting.some(({ notice }) => wasSentOnce(notice))) await postponeUnclear(chat);
      for (const { name, notice } of waiting) {
        await index.put(unclearOf(chat), name, notice.at, lifetime);
        await write(chat, name, { ...notice, unclear: true });
        await index.remove(listOf(chat), name);
      }
    },
    async sayAgain(chat, which) {
      const unclear = await read(chat, MOST_WAITING, true);
      const chosen = unclear.filter(({ notice }) => which === 'all' || wasSentOnce(notice));
      for (const { name, notice } of chosen) {
        const { unclear: _, isRetold: __, ...rest } = notice;
        const again = { ...rest, isAgain: true, isSecond: which === 'once' };
        // Listed before its record changes: after a crash in between, it is requested again.
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
      await index.putIn(ASIDE, `${chat}/${name}`, ASIDE_MS);
      await index.remove(listOf(chat), name);
    },
    async takeBack() {
      for (const member of await index.due(UNCLEAR, MOST_WAITING)) {
        await marks.wantAgain(Number(member), 'once');
        await dueChats.add(Number(member), true);
        await index.remove(UNCLEAR, member);
      }
      for (const member of await index.due(ASIDE, MOST_WAITING)) {
        const [chat, name = ''] = member.split('/');
        const notice = await find(Number(chat), name);
        if (notice === undefined || isBehind(notice)) {
          await index.remove(ASIDE, member);
          continue;
        }
        await put(Number(chat), name, notice);
        await index.putIn(ASIDE, member, ASIDE_MS);
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
        [Number.MAX_VALUE, AFTER_MONEY].map((max) => index.upTo(listOf(chat), max, 2 * MOST_WAITING)),
      );
      const [names = [], ofMoney = []] = [all, money];
      const oldestFirst = [...names.slice(ofMoney.length), ...ofMoney];
      await told(chat, oldestFirst.slice(0, Math.max(0, names.length - MOST_WAITING)));
    },
  };
}

/** Returns whether a notice was sent only once, and not again after a crash or an unclear delivery. */
function wasSentOnce({ isAgain, isRetold }: Notice): boolean {
  return isAgain !== true && isRetold !== true;
}

/** It was told, or may have been: whoever adds it once more, since they don't know that, adds nothing. */
function isBehind(
  present: Notice | typeof TOLD | undefined,
): present is typeof TOLD | (Notice & { unclear: true }) {
  return present === TOLD || present?.unclear === true;
}
