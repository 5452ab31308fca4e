import type { Storage } from '../../storage/storage.ts';

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
