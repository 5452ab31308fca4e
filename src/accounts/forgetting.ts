import { setTimeout as delay } from 'node:timers/promises';
import type { Jobs } from '../jobs/jobs.ts';
import type { Begun, Storage } from '../storage/storage.ts';
import { type ForgetWish, type Forgotten, forgottenSchema, wishSchema } from './forget-wish.ts';
import { KEPT_KINDS } from './kept-kinds.ts';
import type { LeaveForgotten, LeftForgotten } from './leave-forgotten.ts';
import { LINKS } from './link.ts';

const FORGET = 'forget';
const TELL = 'tell-forgotten';
/** Half a day and more: whatever is away, it comes back before. */
const JOB = { tries: 1_000, concurrency: 4 };
/** In milliseconds. So long the chat is nobody else's; a process that dies over it is soon followed by another. */
const LEASE_MS = 60_000;
/** The tap that asked for it is handled within this. */
const WAIT_FOR_CHAT_MS = 20_000;
const LOOK_MS = 50;
/** Updates are known by four bytes. */
const NUMBERS = 2 ** 31;
/** So many keys are erased at once, and so often is looked for what came meanwhile. */
const AT_ONCE = 200;
const LOOKS = 5;

export interface Forgetting {
  /**
   * Resolves once it is sure that everything kept of them is erased, but for {@link KEPT_KINDS}, and that they are told.
   * Confirmed again, upon the same question, it is done once. Rejects where the queue can't be reached.
   */
  begin(wish: ForgetWish): Promise<void>;
}

/**
 * Erases what is kept of a user, as a transaction of their chat: as long as it lasts no update of theirs is handled, and
 * those that come after it find nothing of before. It is known as handled like an update, by a number below zero that
 * stands for the question: a process that dies over it is followed by another, and once it is done nobody does it again,
 * who would erase what they have done since. Call before jobs start.
 *
 * @example
 * await forgetting.begin({ user, asked, update: 7, at: now(), language: 'en', linkedAt: await linkedAt(user) });
 */
export function createForgetting(deps: {
  storage: Pick<Storage, 'tagged' | 'delete' | 'chats'>;
  jobs: Pick<Jobs, 'define' | 'add'>;
  /** Ends their link; before anything else, as others are told of it. */
  leave: LeaveForgotten;
  /** What rooms erase that isn't under a key of the user's own, or not by its key alone; `keys`: all that are. */
  rooms: readonly ((wish: ForgetWish, keys: readonly string[]) => Promise<unknown>)[];
  /** Tells them; rejects where that is to be tried again. */
  tell: (forgotten: Forgotten) => Promise<unknown>;
}): Forgetting {
  const { storage, jobs, leave, rooms, tell } = deps;
  const { chats } = storage;
  const kept = new Set(KEPT_KINDS.flatMap(({ own }) => own));
  const idOf = ({ user, asked }: Pick<ForgetWish, 'user' | 'asked'>) => `${user}/${asked}`;

  const leftBefore = new Map<string, LeftForgotten>();

  async function begun(chat: Parameters<typeof chats.begin>[0]): Promise<Exclude<Begun, { kind: 'busy' }>> {
    const until = performance.now() + WAIT_FOR_CHAT_MS;
    for (;;) {
      const begun = await chats.begin(chat);
      if (begun.kind !== 'busy') return begun;
      if (performance.now() > until) throw new Error('the chat of who is to be forgotten is busy');
      await delay(LOOK_MS);
    }
  }

  async function eraseAll(user: number, keys: readonly string[], stays: (key: string) => boolean) {
    let left = keys.filter((key) => !stays(key));
    // What somebody was just writing comes after it.
    for (let looks = 0; looks < LOOKS && left.length > 0; looks += 1) {
      for (let from = 0; from < left.length; from += AT_ONCE)
        await Promise.all(left.slice(from, from + AT_ONCE).map((key) => storage.delete(key)));
      left = (await storage.tagged(String(user))).filter((key) => !stays(key));
    }
  }

  /** Where something fails after it, it isn't left once more, and what it came to is to be told all the same. */
  async function leaveOnce(wish: ForgetWish): Promise<LeftForgotten> {
    const left = leftBefore.get(idOf(wish)) ?? (await leave(wish));
    leftBefore.set(idOf(wish), left);
    return left;
  }

  async function erase(wish: ForgetWish): Promise<LeftForgotten> {
    const left = await leaveOnce(wish);
    const keys = await storage.tagged(String(wish.user));
    for (const room of rooms) await room(wish, keys);
    await eraseAll(wish.user, keys, (key) => {
      const [kind = ''] = key.split(':');
      return kept.has(kind) || (left === 'another' && key.startsWith(LINKS));
    });
    return left;
  }

  async function forget(wish: ForgetWish): Promise<void> {
    const { user, asked, update, language } = wish;
    // The same for whoever takes it up: a process that died over it holds up nobody.
    const chat = { chat: user, update: -(asked % NUMBERS), token: `${FORGET} ${update}` };
    const granted = await begun({ ...chat, leaseMs: LEASE_MS });
    let left = leftBefore.get(idOf(wish));
    if (granted.kind === 'granted') {
      left = await erase(wish).catch(async (err: unknown) => {
        await chats.release({ ...chat, counted: false }).catch(() => undefined);
        throw err;
      });
    }
    // Where it is handled already, this tells by which tap: by another one, somebody else tells.
    const committed = await chats.commit({ ...chat, changes: { session: null, conversation: null } });
    if (committed !== 'committed' && granted.kind === 'handled') return;
    if (committed !== 'committed') throw new Error('another took the chat of who is to be forgotten');
    const told = { user, update, language, ...(typeof left === 'object' && { left }) };
    await jobs.add(TELL, JSON.stringify(told), { id: idOf(wish) });
    leftBefore.delete(idOf(wish));
  }

  jobs.define(FORGET, (data) => forget(wishSchema.parse(JSON.parse(data))), JOB);
  jobs.define(TELL, async (data) => void (await tell(forgottenSchema.parse(JSON.parse(data)))), JOB);

  return { begin: (wish) => jobs.add(FORGET, JSON.stringify(wish), { id: idOf(wish) }) };
}
