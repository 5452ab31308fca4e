import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { TextKey } from '../i18n/keys.ts';
import { LANGUAGES } from '../i18n/texts.ts';
import type { LinkChanges } from '../invoices/tracking.ts';
import type { JobRef, Jobs } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { changeRecord, readJson, type SignedRecord, type SignedRecords } from '../platform/records.ts';
import { orTimeout } from '../platform/retry.ts';
import { type Begun, EMPTY_CHAT_TTL_MS, type Storage } from '../platform/storage.ts';
import { LINKS, type Link, type LinkedAt, type Links } from './links.ts';
import type { Operator } from './operator.ts';
import type { EventHooks, EventReceiving } from './webhook-subscriptions.ts';

const wishSchema = z.object({
  user: z.number(),
  /**
   * When the bot asked for confirmation, in epoch milliseconds. A second confirmation of the same question is the same
   * wish.
   */
  asked: z.number(),
  /** Update with which the user confirmed. */
  update: z.number(),
  /** Time of the confirmation, in epoch milliseconds. */
  at: z.number(),
  language: z.enum(LANGUAGES),
  /** When the link to end was made, in epoch milliseconds. A later link isn't ended. */
  linkedAt: z.number().optional(),
});

/** A user's confirmed request to be forgotten. */
export type ForgetWish = z.infer<typeof wishSchema>;

/**
 * Result of ending the user's link: where the account's events go, and how many of the user's invoices are no longer
 * checked.
 */
const leftSchema = z.object({
  account: z.number(),
  events: z.enum(['as-before', 'nowhere', 'stays']),
  unchecked: z.number(),
});

/** Content of the notification to a user whose data was erased. */
export type Forgotten = Pick<ForgetWish, 'user' | 'language'> & { left?: z.infer<typeof leftSchema> };

/** Kind of retained data. `text` tells the user why and for how long. */
export interface KeptKind {
  text: TextKey;
  /** First parts of the user's own keys. All other keys of the user are erased. */
  own: readonly string[];
  /** First parts of shared keys and keys of other users that may still name the user. */
  elsewhere: readonly string[];
}

/** All retained data. Keys of the user that aren't listed here are erased, whichever module wrote them. */
export const RETAINED_DATA: readonly KeptKind[] = [
  {
    text: 'kept-money',
    own: [
      ...['operation', 'attempt', 'operations-of-user', 'missed', 'news-begun'],
      ...['invoice', 'invoice-paid', 'invoices-of-user'],
    ],
    elsewhere: [
      ...['sent-of-account', 'unresolved-of-account', 'unresolved', 'order'],
      ...['invoice-number', 'share'],
    ],
  },
  {
    text: 'kept-under-way',
    own: ['heartbeat', 'sending-of', 'asking', 'showing-invoice', 'checking-invoice', 'telling'],
    elsewhere: ['operations', 'invoices', 'locked', 'updates', '{rental-bot}'],
  },
  { text: 'kept-handled', own: ['chat', 'erasure'], elsewhere: [] },
  {
    text: 'kept-limits',
    own: ['budget', 'refused-keys', 'told-of-key'],
    elsewhere: ['budget', 'withdrawn', 'rests'],
  },
  {
    text: 'kept-account',
    own: [],
    elsewhere: [
      ...[
        'event',
        'events',
        'events-of-day',
        'looked',
        'looks',
        'looking',
        'order-report',
        'reports-of-account',
      ],
      ...['last-price', 'already-done', 'announced', 'announced-addresses'],
    ],
  },
  {
    text: 'kept-others',
    // Only for barred users.
    own: ['person'],
    elsewhere: [
      ...['invoice', 'broadcast-audience', 'admin-log', 'admin-act'],
      ...['conversation', 'proposal', 'notice'],
    ],
  },
];

/** Data that is also retained if the user is an admin. */
export const KEPT_OF_ADMINS: KeptKind = {
  text: 'kept-admin',
  own: [],
  elsewhere: [
    ...['admin-log', 'admin-act', 'maintenance', 'broadcast', 'broadcast-shown', 'broadcast-wish'],
    ...['operator-spent', 'notice'],
  ],
};

const FORGET = 'forget';
/** Retries cover 17 hours in which Redis, Telegram or the service may be unavailable. */
const JOB = { tries: 1_000, concurrency: 4 };
/** Maximum age of a confirmation, in milliseconds by the storage's clock: longer than the retries take. */
const MAX_AGE_MS = 24 * 3600_000;
/** Maximum number of erasures that a process remembers. */
const MAX_REMEMBERED = 10_000;
/** Duration of the chat's lease, from each renewal. */
const LEASE_MS = 15_000;
/** Maximum wait for the chat: the tap is handled within this time, and the lease of a process that died ends. */
const WAIT_FOR_CHAT_MS = 20_000;
const LOOK_MS = 50;
/** A chat stores the ids of handled updates in four bytes each. */
const NUMBERS = 2 ** 31;
/** Number of keys that are deleted at once. */
const BATCH = 50;
/** Maximum number of passes over the user's keys, because other processes may add keys during a pass. */
const LOOKS = 5;

/** Prefix of the keys of erasures. */
export const ERASURES = 'erasure:';

/** Confirmed wish to be erased, with its progress: the signed record that the job refers to. */
const erasureSchema = wishSchema.extend({
  /** Epoch milliseconds by the storage's clock. */
  confirmedAt: z.number(),
  step: z.enum(['confirmed', 'left', 'erased', 'told']),
  /** Result of ending the link; present from the step `left` on. */
  left: z.union([z.enum(['none', 'another']), leftSchema]).optional(),
  /** The notification was sent once, but Telegram's response was lost. */
  perhapsTold: z.literal(true).optional(),
});
type Erasure = z.infer<typeof erasureSchema>;

interface StoredErasure {
  erasure: Erasure;
  record: SignedRecord;
}

export interface Forgetting {
  /**
   * Resolves once the erasure is certain to happen: everything stored about the user except {@link RETAINED_DATA} is erased,
   * and the user is notified. A wish that is confirmed twice upon the same question is carried out once. Rejects if the
   * storage or the queue can't be reached.
   */
  begin(wish: ForgetWish): Promise<void>;
  /** Returns whether the erasure upon this question has started. What the user does afterwards isn't covered by it. */
  hasBegun(wish: Pick<ForgetWish, 'user' | 'asked'>): Promise<boolean>;
}

/**
 * Erases what is stored about a user, as a transaction of their chat. No update of the user is handled at the same
 * time, and later updates find no earlier data. The chat remembers the erasure like a handled update, under a negative
 * number that stands for the question. If a process dies, another one continues, and a finished erasure isn't repeated.
 * Call before jobs start.
 *
 * The user's own update writes a signed record of the confirmation; the job only refers to it. An attacker who can
 * write to Redis can restore an earlier version of the record. Three things then protect what the user has stored
 * since: the process remembers its erasures, the chat has handled the erasure, and {@link MAX_AGE_MS} after the
 * confirmation the record is no longer valid.
 *
 * @example
 * await forgetting.begin({ user, asked, update: 7, at: now(), language: 'en', linkedAt: await linkedAt(user) });
 */
export function createForgetting(deps: {
  storage: Pick<Storage, 'now' | 'tagged' | 'delete' | 'chats'>;
  records: Pick<SignedRecords, 'get' | 'set' | 'add' | 'replace' | 'has'>;
  jobs: Pick<Jobs, 'define' | 'add'>;
  /** Ends the user's link. Comes first, as other holders of the account are notified. */
  leave: LeaveForgotten;
  /**
   * Erasers of data outside the user's own keys, or for which deleting the key isn't enough. `keys`: all keys of the
   * user.
   */
  modules: readonly ((wish: ForgetWish, keys: readonly string[]) => Promise<unknown>)[];
  /** Notifies the user. Rejects if that must be retried. After `unclear` it is called once more. */
  tell: (forgotten: Forgotten) => Promise<'told' | 'unclear'>;
  log: Log;
}): Forgetting {
  const { storage, records, jobs, leave, modules, tell, log } = deps;
  const { chats } = storage;
  const kept = new Set(RETAINED_DATA.flatMap(({ own }) => own));
  const keyOf = (user: number) => `${ERASURES}{${user}}`;
  const lifetime = { ttlMs: EMPTY_CHAT_TTL_MS };
  /** Progress of erasures in this process, by user and question, whatever the stored record says. */
  const reached = new Map<string, 'erased' | 'told'>();

  async function read(user: number): Promise<StoredErasure | undefined> {
    const record = await records.get(keyOf(user));
    const erasure = readJson(erasureSchema, record?.content);
    return record && erasure && { erasure, record };
  }

  /** Throws if the record has changed since it was read. The job is then retried with the current one. */
  async function advance(
    { erasure, record }: StoredErasure,
    progress: Partial<Pick<Erasure, 'step' | 'left' | 'perhapsTold'>>,
  ): Promise<StoredErasure> {
    const next = { ...erasure, ...progress };
    const written = await records.replace(keyOf(next.user), record, JSON.stringify(next), lifetime);
    if (written === undefined) throw new Error('the record of an erasure was changed concurrently');
    return { erasure: next, record: written };
  }

  function remember(name: string, step: 'erased' | 'told'): void {
    if (reached.size >= MAX_REMEMBERED) reached.clear();
    reached.set(name, step);
  }

  async function begun(chat: Parameters<typeof chats.begin>[0]): Promise<Exclude<Begun, { kind: 'busy' }>> {
    const until = performance.now() + WAIT_FOR_CHAT_MS;
    for (;;) {
      const begun = await chats.begin(chat);
      if (begun.kind !== 'busy') return begun;
      if (performance.now() > until) throw new Error("the user's chat is still busy");
      await delay(LOOK_MS);
    }
  }

  /** `hold` rejects once another process has the chat, so that a frozen process erases nothing that came later. */
  async function erase(stored: StoredErasure, hold: () => Promise<void>): Promise<StoredErasure> {
    const wish = wishSchema.parse(stored.erasure);
    const { user } = wish;
    const left = stored.erasure.left ?? (await leave(wish));
    await hold();
    const leaving = await advance(stored, { step: 'left', left });
    const stays = (key: string) => {
      const [kind = ''] = key.split(':');
      return kept.has(kind) || (left === 'another' && key.startsWith(LINKS));
    };
    const keys = await storage.tagged(String(user));
    for (const eraseIn of modules) {
      await hold();
      await eraseIn(wish, keys);
    }
    let found = keys.filter((key) => !stays(key));
    // Another process may have written keys since they were listed.
    for (let looks = 0; looks < LOOKS && found.length > 0; looks += 1) {
      for (let from = 0; from < found.length; from += BATCH) {
        await hold();
        await Promise.all(found.slice(from, from + BATCH).map((key) => storage.delete(key)));
      }
      found = (await storage.tagged(String(user))).filter((key) => !stays(key));
    }
    return leaving;
  }

  /** Returns the present record, or `undefined` if the chat has handled the erasure but the record says it hasn't begun. */
  async function eraseOnce(stored: StoredErasure): Promise<StoredErasure | undefined> {
    const { user, asked } = stored.erasure;
    const token = `${FORGET} ${randomUUID()}`;
    const chat = { chat: user, update: -(asked % NUMBERS), token };
    const lease = { ...chat, leaseMs: LEASE_MS };
    const hold = async () => {
      if ((await chats.begin(lease)).kind !== 'granted')
        throw new Error('another took the chat from this erasure');
    };
    if ((await begun(lease)).kind === 'handled') {
      const present = await read(user);
      return present?.erasure.asked === asked && present.erasure.step !== 'confirmed' ? present : undefined;
    }
    const erased = await erase(stored, hold).catch(async (err: unknown) => {
      await chats.release({ chat: user, token, counted: false }).catch(() => undefined);
      throw err;
    });
    const committed = await chats.commit({ ...chat, changes: { session: null, conversation: null } });
    if (committed !== 'committed') throw new Error('another took the chat from this erasure');
    return erased;
  }

  async function forget({ user, id }: JobRef): Promise<void> {
    const [present, time] = [await read(user), storage.now()];
    if (present === undefined || String(present.erasure.asked) !== id) return;
    const { erasure } = present;
    if (erasure.step === 'told') return;
    if (time - erasure.confirmedAt > MAX_AGE_MS) {
      log.warn({ user }, 'an erasure was confirmed more than a day ago and is not carried out');
      return;
    }
    const name = `${user}/${id}`;
    const known = reached.get(name);
    if (known === 'told') {
      await advance(present, { step: 'told' });
      return;
    }
    const isErased = erasure.step === 'erased' || known === 'erased';
    const found = isErased ? present : await eraseOnce(present);
    if (found === undefined || found.erasure.step === 'told') return;
    remember(name, 'erased');
    const erased = await advance(found, { step: 'erased' });
    const { language, left, perhapsTold } = erased.erasure;
    const told = await tell({ user, language, ...(typeof left === 'object' && { left }) });
    if (told === 'unclear' && !perhapsTold) {
      await advance(erased, { perhapsTold: true });
      throw new Error('the user may not have been notified of the erasure');
    }
    remember(name, 'told');
    await advance(erased, { step: 'told' });
  }

  jobs.define(FORGET, forget, JOB);

  return {
    async begin(wish) {
      const { user, asked } = wish;
      const confirmed: Erasure = { ...wish, confirmedAt: storage.now(), step: 'confirmed' };
      await changeRecord(
        records,
        keyOf(user),
        (content) => {
          const isKnown = readJson(erasureSchema, content)?.asked === asked;
          return content !== undefined && isKnown ? content : JSON.stringify(confirmed);
        },
        lifetime,
      );
      await jobs.add(FORGET, { user, id: String(asked) });
    },
    async hasBegun({ user, asked }) {
      const erasure = (await read(user))?.erasure;
      return erasure?.asked === asked && erasure.step !== 'confirmed';
    },
  };
}

/**
 * Result of ending the link. `none`: there was no usable link. `another`: the user has linked again since, and that
 * link stays.
 */
export type LeftForgotten = NonNullable<Forgotten['left']> | 'none' | 'another';

/** Ends the link of a user whose data is erased, as unlinking does. */
type LeaveForgotten = (wish: Pick<ForgetWish, 'user' | 'update' | 'linkedAt'>) => Promise<LeftForgotten>;

export function createLeaveForgotten(deps: {
  links: Pick<Links, 'ahead' | 'unlink'>;
  linkedAt: LinkedAt;
  leaveAccount: LeaveAccount;
  linkChanges: Pick<LinkChanges, 'ended'>;
  /** Reports that an admin no longer uses the operator's account, once per update. */
  operatorsLeft: (user: number, account: number, update: number) => Promise<unknown>;
}): LeaveForgotten {
  const { links, linkedAt, leaveAccount, linkChanges, operatorsLeft } = deps;
  return async ({ user, update, linkedAt: meant }) => {
    const present = await linkedAt(user);
    if (present === undefined) return 'none';
    if (present !== meant) return 'another';
    const linked = await links.ahead(user).open();
    if (linked === undefined) {
      // The link isn't usable any longer, so no other user is affected.
      await links.unlink(user);
      return 'none';
    }
    const { account, operators } = linked.link;
    if (operators) await operatorsLeft(user, account, update);
    const about = { user, account, operators, apiKey: linked.apiKey };
    const { result: events, unchecked } = await linkChanges.ended({ user, account }, () =>
      leaveAccount(about, () => links.unlink(user)),
    );
    return { account, events, unchecked };
  };
}

/**
 * Where the account's events go afterwards: as before, nowhere, or possibly still to a URL of this bot, which rejects
 * them.
 */
export type Left = 'as-before' | 'nowhere' | 'stays';

/**
 * Ends a user's link with `unlink`. For the account's last link, the webhook URL is removed at the service first,
 * because that needs the key that `unlink` erases. If the service doesn't respond within `withinMs`, the link ends
 * anyway. A reference to the operator's account leaves the URL unchanged.
 */
export type LeaveAccount = (
  link: Pick<Link, 'account' | 'operators'> & { user: number; apiKey: string | undefined; withinMs?: number },
  unlink: () => Promise<unknown>,
) => Promise<Left>;

/**
 * Maximum wait for whether the account is the operator's, in milliseconds. The operator's own events don't depend on
 * any link.
 */
const OWNER_WITHIN_MS = 1_000;

export function createLeaveAccount(deps: {
  links: Pick<Links, 'holders'>;
  hooks: Pick<EventHooks, 'isActive' | 'deactivate'>;
  eventReceiving: Pick<EventReceiving, 'turnOff'>;
  operator: Pick<Operator, 'owns'>;
}): LeaveAccount {
  const { links, hooks, eventReceiving, operator } = deps;

  async function isLast(user: number, account: number): Promise<boolean> {
    if (!(await hooks.isActive(account))) return false;
    if ((await links.holders(account)).some((holder) => holder !== user)) return false;
    return !(await orTimeout(operator.owns(account), OWNER_WITHIN_MS));
  }

  return async ({ user, account, operators, apiKey, withinMs }, unlink) => {
    async function giveUp(): Promise<Left> {
      if (operators || !(await isLast(user, account))) return 'as-before';
      const turned =
        apiKey === undefined
          ? undefined
          : await eventReceiving.turnOff({ account, apiKey, ...(withinMs !== undefined && { withinMs }) });
      if (turned?.kind === 'off') return 'nowhere';
      if (turned?.kind === 'was-off') return 'as-before';
      await hooks.deactivate(account);
      return 'stays';
    }

    const left = await giveUp();
    await unlink();
    // Two users who unlink at once may each have seen the other's link. So the check is repeated after unlinking.
    return left === 'as-before' ? giveUp() : left;
  };
}
