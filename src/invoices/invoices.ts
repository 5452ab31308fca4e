import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { InvoiceMade } from '../operations/kinds/kind.ts';
import type { DoneOperation, Operation, Refusal } from '../operations/operation.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import type { Seal } from '../platform/encryption.ts';
import type { Log } from '../platform/log.ts';
import { createSharedRateLimiter, type RateLimit, type SharedRateLimiter } from '../platform/rate-limit.ts';
import { defineRecord, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import { INVOICE_LIFETIME_MS } from '../rental-api/tron.ts';
import type { InvoiceLinks } from './card.ts';
import { CARD_UPDATE_DATA, createCardUpdates, type UpdateCard, withoutSend } from './card-updates.ts';
import {
  type Invoice,
  type InvoiceCard,
  type InvoiceRef,
  invoiceStateOf,
  isFinal,
  isPayable,
  isRevokedFor,
  outdatedFingerprint,
  TRACKED_AFTER_EXPIRY_MS,
} from './invoice.ts';
import {
  createInvoiceStore,
  createUserInvoices,
  INVOICE_NUMBER,
  INVOICE_RECORDS,
  type InvoiceStore,
} from './invoice-store.ts';
import {
  createInvoicePoller,
  createInvoiceSchedule,
  createLinkChanges,
  type InvoicePoller,
  type InvoicePollerDeps,
  POLLING_DATA,
  wasJustOpened,
} from './polling.ts';

/** Each link has its own TTL, which ends with the link. `ttlMs` is that of a new invoice's link. */
const SHARE = defineRecord({
  keys: 'share:hash',
  content: 'Invoice that a share link opens',
  schema: z.object({ user: z.number(), id: z.string() }),
  ttlMs: INVOICE_LIFETIME_MS + TRACKED_AFTER_EXPIRY_MS,
  expiry: 'a day after the invoice',
  signed: true,
  retained: { elsewhere: 'kept-money' },
});

export const INVOICE_DATA: readonly StoredData[] = [
  ...INVOICE_RECORDS,
  ...POLLING_DATA,
  ...CARD_UPDATE_DATA,
  SHARE,
];

/** Fields of an invoice request that this module needs. */
const requestSchema = z.object({
  address: z.string(),
  transfers: z.number().optional(),
  duration_hours: z.number(),
  shared: z.boolean().optional(),
  note: z.string().optional(),
});

const MAX_CARDS = 100;
/** Maximum invoices of others, latest first, whose cards are shown again in another language. */
const MAX_OPENED_REFRESHED = 20;

export type Invoices = ReturnType<typeof createInvoices>;

export interface InvoicesDeps
  extends Omit<InvoicePollerDeps, 'store' | 'pollSchedule' | 'rateLimiter' | 'beforeChange' | 'afterChange'> {
  storage: Storage;
  records: SignedRecords;
  seal: Seal;
  isAdmin: (user: number) => boolean;
  /** Returns whether the operation has ended without making the invoice. */
  isNotMade: (ref: InvoiceRef) => Promise<boolean>;
  notifyGuestLimitReached: () => Promise<unknown>;
  updateCard: UpdateCard;
  log: Log;
}

/** Creates the invoices module. It tracks invoices until their delivery, or a day after they expire. */
export function createInvoices(deps: InvoicesDeps) {
  const { storage, records, now } = deps;
  const store = createInvoiceStore(deps);
  const rateLimiter = createSharedRateLimiter({ storage, now });
  const guestLimits = createGuestLimits({ ...deps, rateLimiter });
  const cards = createCardUpdates({
    ...deps,
    store,
    check: (invoice) => poller.checkBeforePayment(invoice),
  });
  const pollSchedule = createInvoiceSchedule({ storage });
  const poller: InvoicePoller = createInvoicePoller({
    ...deps,
    rateLimiter,
    store,
    pollSchedule,
    beforeChange,
    afterChange: cards.updateSoon,
  });
  const shares = createShares({ ...deps, store });
  const { add, addOpened, opened, list, page, totals } = createUserInvoices({ ...deps, store });
  const numbers = records.store(INVOICE_NUMBER);

  async function beforeChange(invoice: Invoice): Promise<void> {
    const isOpen = invoice.status === 'pending' && !invoice.unchecked;
    if (!isOpen && invoice.account === OPERATOR_ACCOUNT) await guestLimits.close(invoice);
    await cards.scheduleUpdate(invoice);
  }

  function invoiceOf(
    operation: DoneOperation,
    { number, made, message }: { number: number; made: InvoiceMade; message: number | undefined },
  ): Invoice {
    const { id, user, account, language, settledAt } = operation;
    const request = requestSchema.parse(operation.request);
    return {
      id,
      user,
      account,
      number,
      language,
      ...made,
      address: request.address,
      hours: request.duration_hours,
      transfers: request.transfers,
      note: request.note,
      shared: request.shared === true,
      status: 'pending',
      createdAt: settledAt,
      cards: [
        { chat: user, language, isForMaker: true, ...(message !== undefined && { message, isText: true }) },
      ],
    };
  }

  return {
    /**
     * Stores the invoice that an operation has made, shows it to the user and tracks it. Safe to repeat. `message`: text that
     * becomes its card. By default, the card is a new message.
     */
    async track(operation: Operation, message?: number): Promise<void> {
      if (operation.state !== 'done') return;
      const { order: number, invoice: made } = operation.result;
      if (number === undefined || made === undefined) return;
      const invoice = await store.create(invoiceOf(operation, { number, made, message }));
      await shares.share(invoice);
      const { user, id, account } = invoice;
      const ref = { user, id };
      await Promise.all([
        numbers.set({ account, number }, ref),
        add(invoice),
        poller.pollSoon(invoice),
        cards.updateSoon(ref),
      ]);
    },
    read: store.read,
    paymentsDuring: store.paymentsDuring,
    list,
    opened,
    page,
    totals,
    linkChanges: createLinkChanges({ list, poller, now }),
    checkBeforePayment: poller.checkBeforePayment,
    /**
     * Records the message of a chat that shows the invoice, because its present link was opened if `opensLink`. Returns the
     * cards that are no longer updated.
     */
    async setCard(ref: InvoiceRef, card: InvoiceCard, opensLink = false): Promise<InvoiceCard[]> {
      let dropped: InvoiceCard[] = [];
      let isOpened = false;
      const invoice = await store.update(ref, (present) => {
        const before = present.cards.find(({ chat }) => chat === card.chat);
        const others = present.cards.filter(({ chat }) => chat !== card.chat);
        const { isForMaker = card.isForMaker, followUp } = before ?? {};
        const seen = opensLink ? { ...present, cards: others } : present;
        const isRevoked = isRevokedFor(seen, card.chat) && { isRevoked: true as const };
        const all = [...others, { ...card, isForMaker, ...isRevoked, ...(followUp && { followUp }) }];
        // The maker's card is never dropped.
        const kept = [
          ...all.filter(({ isForMaker }) => isForMaker),
          ...all.filter(({ isForMaker }) => !isForMaker).slice(-MAX_CARDS),
        ];
        dropped = [...(before ? [before] : []), ...all.filter((stored) => !kept.includes(stored))];
        isOpened = !wasJustOpened(present, now());
        const opened = isOpened && { changeExpectedAt: now() };
        return { ...withoutSend(present, card.chat), cards: kept, ...opened };
      });
      await Promise.all([
        cards.updateSoon(ref),
        invoice && isOpened && poller.pollSoon(invoice),
        invoice && card.chat !== invoice.user && addOpened(card.chat, ref),
      ]);
      return dropped;
    },
    /** Shows the user's cards of payable invoices again, made or opened, because the user has chosen another language. */
    async refreshCards(user: number): Promise<void> {
      const isOver = (invoice: Invoice) => invoice.createdAt + INVOICE_LIFETIME_MS < now();
      const [recent, others] = await Promise.all([
        list(user, (found) => found.some(isOver)),
        opened(user, MAX_OPENED_REFRESHED),
      ]);
      const shown = [...recent, ...others].filter((invoice) => isPayable(invoiceStateOf(invoice, now())));
      await Promise.all(
        shown.map(async (ref) => {
          await store.update(ref, (present) => ({
            ...present,
            cards: present.cards.map((card) =>
              card.chat === user && card.fingerprint !== undefined
                ? { ...card, fingerprint: outdatedFingerprint(card.fingerprint) }
                : card,
            ),
          }));
          await cards.updateSoon(ref);
        }),
      );
    },
    /** Records that the link was opened. The invoice's maker sees this, and the payment is polled more often. */
    async recordOpened(ref: InvoiceRef): Promise<void> {
      let isFirst = false;
      const invoice = await store.update(ref, (present) => {
        isFirst = present.openedAt === undefined;
        if (!isFirst && (wasJustOpened(present, now()) || isFinal(present))) return undefined;
        return { ...present, openedAt: present.openedAt ?? now(), changeExpectedAt: now() };
      });
      if (invoice) await Promise.all([isFirst && cards.updateSoon(ref), poller.pollSoon(invoice)]);
    },
    checkPayment: poller.checkPayment,
    async handleEvent(account: number, number: number): Promise<void> {
      // The operator's invoices are stored under `OPERATOR_ACCOUNT`. An event only triggers a poll, at once.
      const [usersRef, operatorsRef] = await Promise.all([
        numbers.get({ account, number }),
        numbers.get({ account: OPERATOR_ACCOUNT, number }),
      ]);
      const ref = usersRef ?? operatorsRef;
      if (ref) await poller.pollAfterEvent(ref);
    },
    applyGuestLimits: guestLimits.apply,
    nextGuestInvoiceAt: guestLimits.nextAt,
    shares,
    cards,
    poller,
    overdueMs: pollSchedule.overdueMs,
  };
}

/** Limits of each guest: open invoices while they can be paid, and all invoices per hour. */
const OPEN: RateLimit = { max: 3, withinMs: INVOICE_LIFETIME_MS };
const HOURLY: RateLimit = { max: 6, withinMs: 60 * MINUTE_MS };
/** The rest of the 20 creations a minute (specification, section 8) stays with the operator. */
const ALL_GUESTS: RateLimit = { max: 12, withinMs: MINUTE_MS };

function createGuestLimits(
  deps: Pick<InvoicesDeps, 'isAdmin' | 'isNotMade' | 'notifyGuestLimitReached' | 'now'> & {
    rateLimiter: SharedRateLimiter;
  },
) {
  const { rateLimiter, isAdmin, isNotMade, notifyGuestLimitReached, now } = deps;
  const openLimitOf = (user: number) => `guest-open:{${user}}`;
  const hourlyLimitOf = (user: number) => `guest-hourly:{${user}}`;

  const refusal = (reason: Refusal['reason'], waitMs: number): Refusal => ({
    reason,
    code: reason.toUpperCase(),
    seconds: Math.ceil(waitMs / 1000),
  });

  /** Counts an invoice as open; at the limit, first releases invoices never made. Returns the wait or 0. */
  async function countOpen(user: number, id: string): Promise<number> {
    const waitMs = await rateLimiter.acquire(openLimitOf(user), id, OPEN);
    if (waitMs === 0) return 0;
    for (const counted of await rateLimiter.members(openLimitOf(user)))
      if (await isNotMade({ user, id: counted })) await rateLimiter.release(openLimitOf(user), counted);
    return rateLimiter.acquire(openLimitOf(user), id, OPEN);
  }

  return {
    /** Returns why and for how long the guest's invoice is refused, or counts it and returns `undefined`. */
    async apply({ user, id }: Operation): Promise<Refusal | undefined> {
      if (isAdmin(user)) return undefined;
      const openMs = await countOpen(user, id);
      if (openMs > 0) return refusal('guest-open', openMs);
      const hourlyMs = await rateLimiter.acquire(hourlyLimitOf(user), id, HOURLY);
      if (hourlyMs > 0) {
        await rateLimiter.release(openLimitOf(user), id);
        return refusal('guest-hour', hourlyMs);
      }
      const allGuestsMs = await rateLimiter.acquire('guests', `${user}/${id}`, ALL_GUESTS);
      if (allGuestsMs === 0) return undefined;
      await rateLimiter.release(openLimitOf(user), id);
      await rateLimiter.release(hourlyLimitOf(user), id);
      // A failed notification doesn't affect the guest.
      await notifyGuestLimitReached().catch(() => undefined);
      return refusal('guest-all', allGuestsMs);
    },
    /** Returns when the guest can make the next invoice, in epoch milliseconds, if the hourly limit is reached. */
    async nextAt(user: number): Promise<number | undefined> {
      const waitMs = isAdmin(user) ? 0 : await rateLimiter.waitMs(hourlyLimitOf(user), HOURLY);
      return waitMs > 0 ? now() + waitMs : undefined;
    },
    /** Stops counting an invoice as open: it wasn't made or is no longer open. */
    close: ({ user, id }: InvoiceRef) => rateLimiter.release(openLimitOf(user), id),
  };
}

/** 192 bits can't be guessed. */
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;
const PURPOSE = 'share';

const sealContextOf = ({ user, id }: InvoiceRef) => ({ user, purpose: `${PURPOSE}:${id}` });

function createTokenReader(seal: Seal): (invoice: Invoice) => string | undefined {
  return (invoice) =>
    invoice.share === undefined ? undefined : seal.open(invoice.share, sealContextOf(invoice));
}

/**
 * Creates the links to invoices. A token is stored sealed for the invoice's maker, and as a hash for lookups.
 * Unknown, expired and revoked tokens give the same result.
 */
function createShares(deps: { store: InvoiceStore; records: SignedRecords; seal: Seal; now: () => number }) {
  const { store, records, seal, now } = deps;
  const shares = records.store(SHARE);
  const shareRefOf = (token: string) => ({ hash: createHash('sha256').update(token).digest('base64url') });
  const linkExpiryOf = (invoice: Invoice) => invoice.expiresAt + TRACKED_AFTER_EXPIRY_MS;
  const tokenOf = createTokenReader(seal);

  return {
    tokenOf,
    /** Returns the link's token, the same until it is revoked; `undefined` once it would have expired. */
    async share(ref: InvoiceRef): Promise<string | undefined> {
      const newToken = randomBytes(TOKEN_BYTES).toString('base64url');
      const invoice = await store.update(ref, (present) => {
        if (tokenOf(present) !== undefined || now() >= linkExpiryOf(present)) return undefined;
        return { ...present, share: seal.seal(newToken, sealContextOf(present)) };
      });
      const token = invoice && tokenOf(invoice);
      if (invoice === undefined || token === undefined) return undefined;
      const ttlMs = linkExpiryOf(invoice) - now();
      if (ttlMs <= 0) return undefined;
      // Writes also for an existing token: an earlier attempt may have failed before this step.
      const content = JSON.stringify({ user: ref.user, id: ref.id });
      await records.set(shares.keyOf(shareRefOf(token)), content, { ttlMs });
      return token;
    },
    async revoke(ref: InvoiceRef): Promise<void> {
      const invoice = await store.read(ref);
      const token = invoice && tokenOf(invoice);
      if (token !== undefined) await shares.delete(shareRefOf(token));
      await store.update(ref, ({ share: _, ...present }) => ({
        ...present,
        cards: present.cards.map((card) => (card.isForMaker ? card : { ...card, isRevoked: true })),
      }));
    },
    async find(token: string): Promise<Invoice | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const ref = await shares.get(shareRefOf(token));
      const invoice = ref && (await store.read(ref));
      const isCurrent = invoice !== undefined && tokenOf(invoice) === token;
      return isCurrent && now() < linkExpiryOf(invoice) ? invoice : undefined;
    },
  };
}

export const PAGES_PATH = '/i';

/** Creates a function that returns the links of an invoice, or `undefined` without a token. */
export function createInvoiceLinks(deps: {
  seal: Seal;
  botName: () => string;
  publicUrl: string | undefined;
}): (invoice: Invoice) => InvoiceLinks {
  const { botName, publicUrl } = deps;
  const tokenOf = createTokenReader(deps.seal);
  return (invoice) => {
    const token = tokenOf(invoice);
    if (token === undefined) return undefined;
    const page = publicUrl === undefined ? {} : { page: `${publicUrl}${PAGES_PATH}/${token}` };
    return { token, chat: `https://t.me/${botName()}?start=invoice-${token}`, ...page };
  };
}
