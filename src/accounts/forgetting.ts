import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Jobs } from '../jobs/jobs.ts';
import { readJson } from '../storage/read-json.ts';
import { type Begun, EMPTY_CHAT_KEPT_MS, type Storage } from '../storage/storage.ts';
import { type ForgetWish, type Forgotten, forgottenSchema, leftSchema, wishSchema } from './forget-wish.ts';
import { KEPT_KINDS } from './kept-kinds.ts';
import type { LeaveForgotten } from './leave-forgotten.ts';
import { LINKS } from './link.ts';

const FORGET = 'forget';
const TELL = 'tell-forgotten';
/** Half a day and more: whatever is away, it comes back before. */
const JOB = { tries: 1_000, concurrency: 4 };
/** In milliseconds. So long the chat is nobody else's, from each time that it is asked for. */
const LEASE_MS = 15_000;
/** The tap that asked for it is handled within this, and the lease of a process that died over it ends. */
const WAIT_FOR_CHAT_MS = 20_000;
const LOOK_MS = 50;
/** Updates are known by four bytes. */
const NUMBERS = 2 ** 31;
/** So many keys are erased at once, and so often is looked for what came meanwhile. */
const AT_ONCE = 50;
const LOOKS = 5;

/** How far it has come with the question that was answered last: what ending the link came to, erased, told. */
const stateSchema = z.object({
  asked: z.number(),
  step: z.enum(['left', 'erased', 'told']),
  left: z.union([z.enum(['none', 'another']), leftSchema]),
});
type State = z.infer<typeof stateSchema>;
/** The same state is always the same text. */
const textOf = (state: State) => JSON.stringify(stateSchema.parse(state));

export interface Forgetting {
  /**
   * Resolves once it is sure that everything kept of them is erased, but for {@link KEPT_KINDS}, and that they are told.
   * Confirmed again, upon the same question, it is done once. Rejects where the queue can't be reached.
   */
  begin(wish: ForgetWish): Promise<void>;
  /** Whether it has begun already upon this question: whatever they do since is of their new life. */
  hasBegun(wish: Pick<ForgetWish, 'user' | 'asked'>): Promise<boolean>;
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
  storage: Pick<Storage, 'get' | 'set' | 'replace' | 'tagged' | 'delete' | 'chats'>;
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
  const keyOf = (user: number) => `forgotten:{${user}}`;

  async function stateOf({ user, asked }: Pick<ForgetWish, 'user' | 'asked'>): Promise<State | undefined> {
    const state = readJson(stateSchema, await storage.get(keyOf(user)));
    return state?.asked === asked ? state : undefined;
  }

  async function reached(user: number, state: State): Promise<void> {
    await storage.set(keyOf(user), textOf(state), { ttlMs: EMPTY_CHAT_KEPT_MS });
  }

  async function begun(chat: Parameters<typeof chats.begin>[0]): Promise<Exclude<Begun, { kind: 'busy' }>> {
    const until = performance.now() + WAIT_FOR_CHAT_MS;
    for (;;) {
      const begun = await chats.begin(chat);
      if (begun.kind !== 'busy') return begun;
      if (performance.now() > until) throw new Error('the chat of who is to be forgotten is busy');
      await delay(LOOK_MS);
    }
  }

  /** `hold` rejects where the chat is this process's no more: one that was frozen erases nothing of what came after. */
  async function erase(wish: ForgetWish, hold: () => Promise<void>): Promise<State> {
    const { user, asked } = wish;
    const left = (await stateOf(wish))?.left ?? (await leave(wish));
    await hold();
    const state: State = { asked, step: 'left', left };
    await reached(user, state);
    const stays = (key: string) => {
      const [kind = ''] = key.split(':');
      return kept.has(kind) || (left === 'another' && key.startsWith(LINKS));
    };
    const keys = await storage.tagged(String(user));
    for (const room of rooms) {
      await hold();
      await room(wish, keys);
    }
    let found = keys.filter((key) => !stays(key));
    // What somebody was just writing comes after it.
    for (let looks = 0; looks < LOOKS && found.length > 0; looks += 1) {
      for (let from = 0; from < found.length; from += AT_ONCE) {
        await hold();
        await Promise.all(found.slice(from, from + AT_ONCE).map((key) => storage.delete(key)));
      }
      found = (await storage.tagged(String(user))).filter((key) => !stays(key));
    }
    return state;
  }

  /** Answers what stands then; another may have done it. */
  async function eraseOnce(wish: ForgetWish): Promise<State> {
    const { user, asked } = wish;
    const token = `${FORGET} ${randomUUID()}`;
    const chat = { chat: user, update: -(asked % NUMBERS), token };
    const lease = { ...chat, leaseMs: LEASE_MS };
    const hold = async () => {
      if ((await chats.begin(lease)).kind !== 'granted')
        throw new Error('another took the chat of who is to be forgotten');
    };
    if ((await begun(lease)).kind === 'handled')
      return (await stateOf(wish)) ?? { asked, step: 'erased', left: 'none' };
    const state = await erase(wish, hold).catch(async (err: unknown) => {
      await chats.release({ chat: user, token, counted: false }).catch(() => undefined);
      throw err;
    });
    const committed = await chats.commit({ ...chat, changes: { session: null, conversation: null } });
    if (committed !== 'committed') throw new Error('another took the chat of who is to be forgotten');
    return state;
  }

  async function forget(wish: ForgetWish): Promise<void> {
    const { user, asked, language } = wish;
    const before = await stateOf(wish);
    if (before?.step === 'told') return;
    const { left } = before?.step === 'erased' ? before : await eraseOnce(wish);
    // Only from there on: another may have told them meanwhile.
    const [from, to] = (['left', 'erased'] as const).map((step) => textOf({ asked, step, left }));
    if (from && to) await storage.replace(keyOf(user), from, to, { ttlMs: EMPTY_CHAT_KEPT_MS });
    const told: Forgotten = { user, asked, language, ...(typeof left === 'object' && { left }) };
    await jobs.add(TELL, JSON.stringify(told), { id: idOf(wish) });
  }

  async function tellOnce(forgotten: Forgotten): Promise<void> {
    const { user } = forgotten;
    const state = await stateOf(forgotten);
    if (state?.step === 'told') return;
    await tell(forgotten);
    if (state) await reached(user, { ...state, step: 'told' });
  }

  jobs.define(FORGET, (data) => forget(wishSchema.parse(JSON.parse(data))), JOB);
  jobs.define(TELL, (data) => tellOnce(forgottenSchema.parse(JSON.parse(data))), JOB);

  return {
    begin: (wish) => jobs.add(FORGET, JSON.stringify(wish), { id: idOf(wish) }),
    hasBegun: async (wish) => (await stateOf(wish)) !== undefined,
  };
}
