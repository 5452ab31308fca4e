import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { LANGUAGES } from '../i18n/texts.ts';
import type { LinkChanges } from '../invoices/polling.ts';
import { orTimeout } from '../platform/async.ts';
import { createMessageAttempts } from '../platform/attempts.ts';
import { DAY_MS, MINUTE_MS } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { createDueWork } from '../platform/due-work.ts';
import type { GivenUp } from '../platform/given-up.ts';
import type { Log } from '../platform/log.ts';
import { defineRecord, kindOf, type SignedRecords, type Stored } from '../platform/records.ts';
import { EMPTY_CHAT_TTL_MS, type Storage } from '../platform/storage.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import type { UserKeys } from '../platform/user-keys.ts';
import type { AddressAnnouncements } from './address-announcements.ts';
import { LINK, type Link, type Links } from './links.ts';
import type { Operator } from './operator.ts';
import type { WebhookSubscriptions, WebhookSwitch } from './webhook-subscriptions.ts';

const requestSchema = z.object({
  user: z.number(),
  /**
   * When the bot asked for confirmation, in epoch milliseconds. A second confirmation of the same question is the same
   * request.
   */
  askedAt: z.number(),
  update: z.number(),
  /** Time of the confirmation, in epoch milliseconds. */
  at: z.number(),
  language: z.enum(LANGUAGES),
  /** When the link to end was made, in epoch milliseconds. A later link isn't ended. */
  linkedAt: z.number().optional(),
  /** Admin who erases the user's data. */
  byAdmin: z.number().optional(),
});

type ErasureRequest = z.infer<typeof requestSchema>;

/**
 * - `unchanged`: the account's events go where they went before.
 * - `off`: the service doesn't post the account's events any more.
 * - `possibly-on`: the service may still post them to a URL of this bot, which rejects them.
 */
const EVENTS_AFTER_UNLINK = ['unchanged', 'off', 'possibly-on'] as const;
export type EventsAfterUnlink = (typeof EVENTS_AFTER_UNLINK)[number];

/** Result of ending the user's link. `unchecked`: number of the user's invoices that are no longer checked. */
const unlinkedSchema = z.object({
  account: z.number(),
  events: z.enum(EVENTS_AFTER_UNLINK),
  unchecked: z.number(),
  /** The account was the operator's, so the user had no key of it. */
  usesOperatorAccount: z.literal(true).optional(),
});

/**
 * Result of ending the link. `none`: there was no usable link. `another`: the user has linked again since, and that
 * link stays.
 */
const unlinkResultSchema = z.union([z.enum(['none', 'another']), unlinkedSchema]);
type UnlinkResult = z.infer<typeof unlinkResultSchema>;

export type ErasureNotification = Pick<ErasureRequest, 'user' | 'language' | 'byAdmin' | 'at'> & {
  unlinked?: z.infer<typeof unlinkedSchema>;
};

/** Confirmed request to erase a user, with its progress: the signed record that the due queue refers to. */
const erasureSchema = requestSchema.extend({
  /** Epoch milliseconds by the storage's clock. */
  confirmedAt: z.number(),
  /** `unanswered`: the notification was sent twice without a response, and is sent again when the user returns. */
  step: z.enum(['confirmed', 'unlinked', 'erased', 'unanswered', 'notified']),
  /** Result of ending the link; present from the step `unlinked` on. */
  unlinkResult: unlinkResultSchema.optional(),
});
type Erasure = z.infer<typeof erasureSchema>;

export const ERASURE = defineRecord({
  keys: 'erasure:{user}',
  content: "The user's last confirmed *Forget me*, or an admin's in its place, and its progress",
  schema: erasureSchema,
  ttlMs: EMPTY_CHAT_TTL_MS,
  signed: true,
  retained: { own: 'kept-handled' },
});

export const ERASURE_RUN_MS = 2_000;
/** Time until an erasure whose process died is due again, in milliseconds from each of its steps. */
const DUE_AGAIN_MS = 20_000;
/** Delays after a failure, in milliseconds. In between, an erasure waits as long again as it has waited. */
const RETRY_MS = { min: 1_000, max: MINUTE_MS };

export const DUE_ERASURES = defineDueQueue({
  keys: 'erasures:due',
  ref: { user: 'number', askedAt: 'number' },
  longestMs: RETRY_MS.max,
  content: 'When each confirmed *Forget me* is carried out, unless at once',
  expiry: 'none: a single key; finished erasures are removed',
  retained: { elsewhere: 'kept-under-way' },
});
type ErasureRef = Pick<Erasure, 'user' | 'askedAt'>;

const CONCURRENCY = 4;
/** Maximum age of a confirmation, in milliseconds by the storage's clock. Covers times without Redis or Telegram. */
const MAX_AGE_MS = DAY_MS;
const LEASE_MS = 15_000;
/** Maximum wait for the chat: the tap is handled within this time, and the lease of a process that died ends. */
const CHAT_TIMEOUT_MS = 20_000;
const CHAT_RETRY_MS = 50;
/** A chat stores the ids of handled updates in four bytes each. */
const UPDATE_ID_LIMIT = 2 ** 31;
const BATCH_SIZE = 50;
/** Maximum number of passes over the user's keys, because other processes may add keys during a pass. */
const MAX_PASSES = 5;

export type UserErasure = ReturnType<typeof createUserErasure>;

/**
 * Erases what is stored about a user, as a transaction of their chat. No update of the user is handled at the same
 * time, and later updates find no earlier data. The chat remembers the erasure like a handled update, under a negative
 * number that identifies the question. If a process dies, another one continues, and a finished erasure isn't repeated.
 *
 * The user's own update writes a signed record of the confirmation; the due queue only refers to it. An attacker who can
 * write to Redis can restore an earlier version of the record. Three things then protect what the user has stored
 * since: the process remembers its erasures, the chat has handled the erasure, and {@link MAX_AGE_MS} after the
 * confirmation the record is no longer valid.
 *
 * @example
 * const linkedAt = await links.linkedAt(user);
 * await userErasure.request({ user, askedAt, update: 7, at: now(), language: 'en', linkedAt });
 */
export function createUserErasure(deps: {
  storage: Pick<Storage, 'now' | 'add' | 'delete' | 'chats' | 'index'>;
  userKeys: Pick<UserKeys, 'of'>;
  records: SignedRecords;
  /** Kinds of the user's own keys that stay. All others are erased, whichever module wrote them. */
  retainedKinds: ReadonlySet<string>;
  /** Ends the user's link. Called before data is erased, because other holders of the account may have to be notified. */
  unlink: ReturnType<typeof createUnlinkForErasure>;
  /**
   * Erasers of data outside the user's own keys, or for which deleting the key isn't enough. `keys`: all keys of the
   * user.
   */
  modules: readonly ((request: ErasureRequest, keys: readonly string[]) => Promise<unknown>)[];
  /** Notifies the user, or finds that this is impossible. `unsent` and `unclear` are retried. */
  notify: (notification: ErasureNotification) => Promise<'notified' | 'unsent' | 'unclear'>;
  /** Tells the admin who asked for it that the user is erased. Called again after a crash. */
  notifyAdmin: (erased: Pick<ErasureRequest, 'user' | 'askedAt'> & { admin: number }) => Promise<unknown>;
  givenUp: Pick<GivenUp, 'note'>;
  log: Log;
}) {
  const { storage, userKeys, records, retainedKinds, unlink, modules, notify, notifyAdmin, givenUp, log } =
    deps;
  const { chats } = storage;
  const erasures = records.store(ERASURE);
  const queue = createDueQueue(DUE_ERASURES, { storage });
  const messageAttempts = createMessageAttempts({ storage });
  const noticeOf = ({ user, askedAt }: Pick<ErasureRequest, 'user' | 'askedAt'>) => ({
    user,
    message: `erasure-${askedAt}`,
  });
  /** Progress of erasures in this process, by user and question, whatever the stored record says. */
  const progressByName = createTtlCache<string, 'erased' | 'notified'>();

  /** Throws if the record has changed since it was read. The erasure is then retried with the current one. */
  async function advance(
    stored: Stored<Erasure>,
    progress: Partial<Pick<Erasure, 'step' | 'unlinkResult'>>,
  ): Promise<Stored<Erasure>> {
    const { user } = stored.value;
    const written = await erasures.replace({ user }, stored, { ...stored.value, ...progress });
    if (written === undefined) throw new Error('the record of an erasure was changed concurrently');
    return written;
  }

  async function leaseChat(chat: Parameters<typeof chats.begin>[0]): Promise<'granted' | 'handled'> {
    const deadline = performance.now() + CHAT_TIMEOUT_MS;
    for (;;) {
      const { kind } = await chats.begin(chat);
      if (kind !== 'busy') return kind;
      if (performance.now() > deadline) throw new Error("the user's chat is still busy");
      await delay(CHAT_RETRY_MS);
    }
  }

  /**
   * `renewLease` rejects once another process has the chat, so that a frozen process erases nothing that came later.
   */
  async function erase(stored: Stored<Erasure>, renewLease: () => Promise<void>): Promise<Stored<Erasure>> {
    const request = requestSchema.parse(stored.value);
    const { user } = request;
    const unlinkResult = stored.value.unlinkResult ?? (await unlink(request));
    await renewLease();
    const advanced = await advance(stored, { step: 'unlinked', unlinkResult });
    const isErased = (key: string) => {
      const kind = kindOf(key);
      const isLaterLink = unlinkResult === 'another' && kind === kindOf(LINK.keys);
      return !retainedKinds.has(kind) && !isLaterLink;
    };
    const keys = await userKeys.of(user);
    for (const eraseInModule of modules) {
      await renewLease();
      await eraseInModule(request, keys);
    }
    let remaining = keys.filter(isErased);
    // Another process may have written keys since they were listed.
    for (let pass = 0; pass < MAX_PASSES && remaining.length > 0; pass += 1) {
      for (let from = 0; from < remaining.length; from += BATCH_SIZE) {
        await renewLease();
        await Promise.all(remaining.slice(from, from + BATCH_SIZE).map((key) => storage.delete(key)));
      }
      remaining = (await userKeys.of(user)).filter(isErased);
    }
    return advanced;
  }

  /** Returns the present record, or `undefined` if the chat has handled the erasure but the record says it hasn't begun. */
  async function eraseOnce(stored: Stored<Erasure>): Promise<Stored<Erasure> | undefined> {
    const { user, askedAt } = stored.value;
    const token = `erasure ${randomUUID()}`;
    const chat = { chat: user, update: -(askedAt % UPDATE_ID_LIMIT), token };
    const lease = { ...chat, leaseMs: LEASE_MS };
    const renewLease = async () => {
      const [{ kind }] = await Promise.all([
        chats.begin(lease),
        queue.scheduleIn({ user, askedAt }, DUE_AGAIN_MS),
      ]);
      if (kind !== 'granted') throw new Error('another process took the chat from this erasure');
    };
    if ((await leaseChat(lease)) === 'handled') {
      const present = await erasures.read({ user });
      const hasBegun = present?.value.askedAt === askedAt && present.value.step !== 'confirmed';
      return hasBegun ? present : undefined;
    }
    const erased = await erase(stored, renewLease).catch(async (err: unknown) => {
      await chats.release({ chat: user, token, counted: false }).catch(() => undefined);
      throw err;
    });
    const committed = await chats.commit({ ...chat, changes: { session: null, conversation: null } });
    if (committed !== 'committed') throw new Error('another process took the chat from this erasure');
    return erased;
  }

  /** Carries out what remains of an erasure, up to the notification. Rejects if it must be tried again. */
  async function complete(present: Stored<Erasure>): Promise<void> {
    const { user, askedAt, step } = present.value;
    const name = queue.memberOf({ user, askedAt });
    const progress = progressByName.get(name);
    if (progress === 'notified') return void (await advance(present, { step: 'notified' }));
    const isErased = step === 'erased' || progress === 'erased';
    const stored = isErased ? present : await eraseOnce(present);
    if (stored === undefined || isFinished(stored.value)) return;
    progressByName.set(name, 'erased');
    const erased = await advance(stored, { step: 'erased' });
    const { language, byAdmin, at, unlinkResult } = erased.value;
    if (byAdmin !== undefined) await notifyAdmin({ user, askedAt, admin: byAdmin });
    const notification: ErasureNotification = { user, language, byAdmin, at };
    if (typeof unlinkResult === 'object') notification.unlinked = unlinkResult;
    const result = await messageAttempts.send(noticeOf(erased.value), {
      send: () => notify(notification),
      wasNotSent: (sent) => sent === 'unsent',
    });
    if (result === 'unsent') throw new Error('the user was not notified of the erasure');
    if (result === 'unclear') throw new Error('the user may not have been notified of the erasure');
    if (result === 'exhausted') return void (await advance(erased, { step: 'unanswered' }));
    progressByName.set(name, 'notified');
    await advance(erased, { step: 'notified' });
    await messageAttempts.reset(noticeOf(erased.value));
  }

  /** Returns the record of an erasure that remains to be carried out. */
  async function findPending({ user, askedAt }: ErasureRef): Promise<Stored<Erasure> | undefined> {
    const present = await erasures.read({ user });
    return present?.value.askedAt === askedAt && !isFinished(present.value) ? present : undefined;
  }

  async function run(ref: ErasureRef): Promise<void> {
    const present = await findPending(ref);
    if (present === undefined) return queue.remove(ref);
    const ageMs = storage.now() - present.value.confirmedAt;
    if (ageMs > MAX_AGE_MS) {
      const advice = 'Tell the user to confirm /forget once more.';
      log.error({ user: ref.user, advice }, 'an erasure that was confirmed more than a day ago is given up');
      await givenUp.note('erasure');
      return queue.remove(ref);
    }
    try {
      await complete(present);
    } catch (err) {
      await queue.scheduleIn(ref, Math.min(Math.max(RETRY_MS.min, ageMs), RETRY_MS.max));
      throw err;
    }
    await queue.remove(ref);
    // The user may have returned in the meantime and then needs another notification.
    if ((await findPending(ref))?.value.step === 'erased') await queue.scheduleIn(ref, 0);
  }

  const dueWork = createDueWork({
    queue,
    work: run,
    leaseMs: DUE_AGAIN_MS,
    concurrency: CONCURRENCY,
    failureMessage: 'an erasure failed; it will be retried',
    log,
  });

  return {
    /**
     * Resolves once the erasure is certain to happen: everything stored about the user except `retainedKinds` is
     * erased, and the user is notified. A request that is confirmed twice upon the same question is carried out once.
     * Rejects if the storage can't be reached.
     */
    async request(request: ErasureRequest) {
      const { user, askedAt } = request;
      const confirmed: Erasure = { ...request, confirmedAt: storage.now(), step: 'confirmed' };
      await erasures.update({ user }, (before) => (before?.askedAt === askedAt ? undefined : confirmed));
      await dueWork.add({ user, askedAt });
    },
    /** Sends the notification again to a user who returns, if it was sent twice without a response. */
    async onUserReturned(user: number) {
      const stored = await erasures.read({ user });
      if (stored?.value.step !== 'unanswered') return;
      await messageAttempts.reset(noticeOf(stored.value));
      await advance(stored, { step: 'erased' });
      await dueWork.add(stored.value);
    },
    /** Returns whether the erasure that was confirmed upon this question has started. It doesn't cover later data. */
    async hasStarted({ user, askedAt }: Pick<ErasureRequest, 'user' | 'askedAt'>): Promise<boolean> {
      const erasure = await erasures.get({ user });
      return erasure?.askedAt === askedAt && erasure.step !== 'confirmed';
    },
    /** Returns whether the user has confirmed an erasure at this time or later (epoch milliseconds). */
    async wasConfirmedSince(user: number, time: number): Promise<boolean> {
      const erasure = await erasures.get({ user });
      return erasure !== undefined && erasure.at >= time;
    },
    overdueMs: queue.overdueMs,
    startDue: dueWork.startDue,
    close: dueWork.close,
  };
}

function isFinished({ step }: Erasure): boolean {
  return step === 'notified' || step === 'unanswered';
}

/** Ends the link of a user whose data is erased, as unlinking does. */
export function createUnlinkForErasure(deps: {
  links: Pick<Links, 'linkedAt' | 'readAhead' | 'unlink'>;
  unlinkAccount: UnlinkAccount;
  linkChanges: Pick<LinkChanges, 'endLink'>;
  /** Reports that an admin no longer uses the operator's account, once per update. */
  notifyOperatorUnlinked: (user: number, account: number, update: number) => Promise<unknown>;
}) {
  const { links, unlinkAccount, linkChanges, notifyOperatorUnlinked } = deps;
  return async (request: Pick<ErasureRequest, 'user' | 'update' | 'linkedAt'>): Promise<UnlinkResult> => {
    const { user, update } = request;
    const linkedAt = await links.linkedAt(user);
    if (linkedAt === undefined) return 'none';
    if (linkedAt !== request.linkedAt) return 'another';
    const linked = await links.readAhead(user).open();
    if (linked === undefined) {
      // The link isn't usable any longer, so no other user is affected.
      await links.unlink(user);
      return 'none';
    }
    const { account, usesOperatorAccount } = linked.link;
    if (usesOperatorAccount) await notifyOperatorUnlinked(user, account, update);
    const link = { user, account, usesOperatorAccount, apiKey: linked.apiKey };
    const { result: events, unchecked } = await linkChanges.endLink({ user, account }, () =>
      unlinkAccount(link, () => links.unlink(user)),
    );
    return { account, events, unchecked, ...(usesOperatorAccount && { usesOperatorAccount }) };
  };
}

/**
 * Ends a user's link with `unlink`. For the account's last link, the webhook URL is removed at the service first,
 * because that needs the key that `unlink` erases. If the service doesn't respond within `timeoutMs`, the link ends
 * anyway. A reference to the operator's account leaves the URL unchanged.
 */
export type UnlinkAccount = (
  link: Pick<Link, 'account' | 'usesOperatorAccount'> & {
    user: number;
    apiKey: string | undefined;
    timeoutMs?: number;
  },
  unlink: () => Promise<unknown>,
) => Promise<EventsAfterUnlink>;

/**
 * Maximum wait for the check whether the account is the operator's, in milliseconds. The operator account's events don't
 * depend on any link.
 */
const OPERATOR_TIMEOUT_MS = 1_000;

export function createUnlinkAccount(deps: {
  links: Pick<Links, 'holders'>;
  webhookSubscriptions: Pick<WebhookSubscriptions, 'isActive' | 'deactivate'>;
  webhookSwitch: Pick<WebhookSwitch, 'turnOff'>;
  operator: Pick<Operator, 'owns'>;
  addressAnnouncements: Pick<AddressAnnouncements, 'forgetNoticesOf'>;
}): UnlinkAccount {
  const { links, webhookSubscriptions, webhookSwitch, operator, addressAnnouncements } = deps;

  async function isLastSubscriber(user: number, account: number): Promise<boolean> {
    if (!(await webhookSubscriptions.isActive(account))) return false;
    if ((await links.holders(account)).some((holder) => holder !== user)) return false;
    return !(await orTimeout(operator.owns(account), OPERATOR_TIMEOUT_MS));
  }

  return async ({ user, account, usesOperatorAccount, apiKey, timeoutMs }, unlink) => {
    async function turnOffIfLast(): Promise<EventsAfterUnlink> {
      if (usesOperatorAccount || !(await isLastSubscriber(user, account))) return 'unchanged';
      if (apiKey !== undefined) {
        const { kind } = await webhookSwitch.turnOff({ account, apiKey, timeoutMs });
        if (kind === 'off') return 'off';
        if (kind === 'already-off') return 'unchanged';
      }
      await webhookSubscriptions.deactivate(account);
      return 'possibly-on';
    }

    const events = await turnOffIfLast();
    await addressAnnouncements.forgetNoticesOf({ user, account });
    await unlink();
    // Two users who unlink at once may each have seen the other's link. So the check is repeated after unlinking.
    return events === 'unchanged' ? turnOffIfLast() : events;
  };
}
