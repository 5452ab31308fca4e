import { randomUUID } from 'node:crypto';
import { POLL_STATE, POLLS } from '../../../src/account-events/poll-state.ts';
import { composeServices } from '../../../src/composition.ts';
import { readConfig } from '../../../src/config.ts';
import { createInvoiceStore, createUserInvoices } from '../../../src/invoices/invoice-store.ts';
import { createInvoiceSchedule } from '../../../src/invoices/polling.ts';
import { type DoneOperation, OPERATION } from '../../../src/operations/operation.ts';
import { KINDS } from '../../../src/operations/operations.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/clock.ts';
import { createPollSchedule } from '../../../src/platform/poll-schedule.ts';
import { silentLog } from '../../support/log-lines.ts';
import { SECRET_KEY } from '../app-process.ts';
import { ADDRESS, FIRST_PERSON, keyOf, TOKEN } from '../identities.ts';
import { OPEN_INVOICE } from '../rental-stand-in.ts';

/** Position of the first guest among the users. */
export const FIRST_GUEST = 5_000_000;
/** Number of linked users for each guest, and for each user with an invoice. */
const LINKED_PER_OTHER = 10;
const BATCH = 500;
/** Maximum age of a user's data in days. */
const DAYS = 60;
/** Lists of an account that are polled whether or not a user needs them. */
export const LISTS = ['deposits', 'withdrawals', 'log'] as const;
/** A second address, which users have named. */
const NAMED = 'TLyqzVGLV1srkB7dToTAEqgDSfPtXRJZYH';

export const guestsBeside = (linked: number) => Math.floor(linked / LINKED_PER_OTHER);

/** Returns the name at Telegram of a linked user. */
export const usernameOf = (at: number) => `linked_user_${at}`;

export type Filling = ReturnType<typeof openFilling>;

/**
 * Opens the bot's storage with the bot's own modules, which aren't started. Only the modules and the definitions of
 * records write, so that the data is what the bot itself would have stored.
 */
export function openFilling({ redisUrl, rentalUrl }: { redisUrl: string; rentalUrl: string }) {
  let daysAgo = 0;
  const now = () => Date.now() - daysAgo * DAY_MS;
  const config = readConfig({
    BOT_TOKEN: TOKEN,
    RENTAL_API_URL: rentalUrl,
    REDIS_URL: redisUrl,
    SECRET_KEY,
  });
  const services = composeServices(config, { now, log: silentLog() });
  const { storage, records, accounts, operations } = services;
  const pollStates = records.store(POLL_STATE);
  const pollSchedule = createPollSchedule(POLLS, { storage });
  const operationRecords = records.store(OPERATION);
  const invoiceStore = createInvoiceStore({ records, storage, now });
  const invoiceSchedule = createInvoiceSchedule({ storage });
  const userInvoices = createUserInvoices({ storage, store: invoiceStore, now });

  /** Stores a user who has written once, and whose last message had buttons. */
  async function addUser(user: number, at: number, username?: string): Promise<'en' | 'ru'> {
    const language = at % 2 === 0 ? 'en' : 'ru';
    const [token, update] = [randomUUID(), 1 + at];
    await Promise.all([
      accounts.users.recordActivity(user, language, undefined, username),
      storage.chats.begin({ chat: user, update, token, leaseMs: MINUTE_MS }),
      storage.chats.commit({
        ...{ chat: user, update, token },
        changes: { session: JSON.stringify({ language, question: 7 }) },
      }),
    ]);
    return language;
  }

  /** Stores an account that is polled as rarely as possible, at any time within the longest interval. */
  async function addPolls(account: number, at: number): Promise<void> {
    const state = { since: now(), polledAt: now(), knownItems: [], unchangedPolls: 20 };
    const delayMs = (kind: number) => ((at * 7_919_003 + kind * 5_400_007) % POLLS.priorities.idle) + 1;
    await Promise.all([
      ...LISTS.map((kind) =>
        pollStates.set({ account, kind }, { ...state, expectationPolls: 0, failedPolls: 0 }),
      ),
      ...POLLS.ref.kind.map((kind, which) =>
        pollSchedule.queues.idle.scheduleIn({ account, kind }, delayMs(which)),
      ),
    ]);
  }

  async function addOperation(operation: DoneOperation): Promise<void> {
    await Promise.all([
      operationRecords.set(operation, operation),
      operations.history.recordConfirmed(operation),
    ]);
  }

  async function addInvoice(operation: DoneOperation): Promise<void> {
    const { id, user, account, language, settledAt: createdAt } = operation;
    const { order: number = 0, invoice } = operation.result;
    if (invoice === undefined) return;
    await userInvoices.add(
      await invoiceStore.create({
        ...{ id, user, account, number, language, createdAt, ...invoice },
        ...{ address: ADDRESS, hours: 1, transfers: 2, shared: true, status: 'delegated' },
        ...{ paidAt: createdAt + MINUTE_MS, delegatedAt: createdAt + 2 * MINUTE_MS },
        cards: [{ chat: user, language, isForMaker: true, message: 6, notifiedStatus: 'delegated' }],
      }),
    );
  }

  /** Stores an invoice that its user has just made, and that is polled every three seconds. */
  async function addOpenInvoice(at: number): Promise<void> {
    const user = FIRST_PERSON.app + at;
    const { address, energy_amount: energy = 0, duration_hours: hours = 0 } = OPEN_INVOICE;
    const {
      payment_address: paymentAddress,
      price_trx: priceTrx = '',
      price_usdt: priceUsdt = '',
    } = OPEN_INVOICE;
    const invoice = await invoiceStore.create({
      ...{ id: `H${idOf(at)}`, user, account: user, number: at + 1, language: 'en', cards: [] },
      ...{ paymentAddress, address, energy, hours, priceTrx, priceUsdt, transfers: 2, shared: false },
      ...{ status: 'pending', createdAt: now(), expiresAt: now() + HOUR_MS / 2 },
    });
    await invoiceSchedule.schedule(invoice, { inMs: 0, priority: 'active' });
  }

  async function addLinked(at: number): Promise<void> {
    const user = FIRST_PERSON.app + at;
    const language = await addUser(user, at, usernameOf(at));
    const about = { user, language, at: now() };
    await Promise.all([
      accounts.links.link(user, user, keyOf(user), language),
      accounts.addressBook
        .setName(user, NAMED, 'Treasure chest')
        .then(() => accounts.addressBook.remember(user, ADDRESS)),
      at % 2 === 0 && accounts.notificationSettings.setMuted(user, 'smart-mode', true),
      addPolls(user, at),
      addOperation(operationOf(ENERGY, { ...about, id: `E${idOf(at)}` })),
      at % 2 === 0 && addOperation(operationOf(ENERGY, { ...about, id: `F${idOf(at)}` })),
    ]);
    if (at % LINKED_PER_OTHER !== 0) return;
    const invoiceMade = operationOf(INVOICE, { ...about, id: `G${idOf(at)}` });
    await Promise.all([addOperation(invoiceMade), addInvoice(invoiceMade)]);
  }

  async function inBatches(count: number, add: (at: number) => Promise<unknown>): Promise<void> {
    for (let from = 0; from < count; from += BATCH) {
      daysAgo = (from / BATCH) % DAYS;
      await Promise.all(Array.from({ length: Math.min(BATCH, count - from) }, (_, one) => add(from + one)));
    }
  }

  return {
    storage,
    /** Stores linked users with all that they usually leave behind, and a tenth as many guests. */
    async fill(linked: number): Promise<void> {
      await inBatches(linked, addLinked);
      await inBatches(guestsBeside(linked), (at) => addUser(FIRST_PERSON.app + FIRST_GUEST + at, at));
    },
    /** Stores an open invoice of each of the first users. */
    async openInvoices(users: number): Promise<void> {
      daysAgo = 0;
      for (let from = 0; from < users; from += BATCH)
        await Promise.all(
          Array.from({ length: Math.min(BATCH, users - from) }, (_, one) => addOpenInvoice(from + one)),
        );
    },
    close: () => storage.close(),
  };
}

const sampleOf = (kind: string) => {
  const sample = KINDS.find(({ name }) => name === kind)?.sample;
  if (sample === undefined) throw new Error(`there is no operation kind ${kind}`);
  return sample;
};
const [ENERGY, INVOICE] = [
  { request: sampleOf('energy'), result: { status: 'filled', price: '2.32', balanceLeft: '9997.68' } },
  {
    request: sampleOf('invoice'),
    result: {
      status: 'pending',
      invoice: { paymentAddress: NAMED, priceTrx: '4.64', priceUsdt: '1.39', energy: 130_000, expiresAt: 0 },
    },
  },
];

/** Returns seven characters that identify a user's operations. */
const idOf = (at: number) => at.toString(36).toUpperCase().padStart(7, '0');

function operationOf(
  { request, result }: Pick<DoneOperation, 'request' | 'result'>,
  { user, language, at, id }: { user: number; language: 'en' | 'ru'; at: number; id: string },
): DoneOperation {
  const { invoice } = result;
  return {
    state: 'done',
    ...{ id, user, account: user, language, request, warnings: {}, epoch: 'filled' },
    ...{ estimate: '2.32', balance: '10000' },
    ...{
      createdAt: at - MINUTE_MS,
      expiresAt: at + MINUTE_MS,
      claimedAt: at,
      settledAt: at,
      settledBy: 'reply',
    },
    attempt: { id: randomUUID(), sentAt: at, balanceBefore: '10000', reported: false },
    result: {
      ...result,
      order: user - FIRST_PERSON.app,
      ...(invoice && { invoice: { ...invoice, expiresAt: at + HOUR_MS } }),
    },
    receipt: { card: 5, shownAt: at, late: false, revision: 2, notified: 2 },
  };
}
