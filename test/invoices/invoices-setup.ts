import { randomBytes } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58check } from '@scure/base';
import { vi } from 'vitest';
import type { UpdateCard } from '../../src/invoices/card-updates.ts';
import type { Invoice } from '../../src/invoices/invoice.ts';
import { createInvoices, type Invoices, type InvoicesDeps } from '../../src/invoices/invoices.ts';
import type { Contradiction } from '../../src/operations/kinds/kind.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { OPERATOR_ACCOUNT, type Outcome } from '../../src/rental-api/client.ts';
import type { Profile, Invoice as ToldInvoice } from '../../src/rental-api/schemas.ts';
import { ACCOUNT, ADDRESS, API_KEY, accepted, HASH, profileOf } from '../operations/rental-stand-in.ts';
import { silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';

export const MAKER = 502;
export const START = Date.parse('2025-06-01T12:00:00Z');
export const MINUTE = 60_000;
/** Interval between runs of polls and of card updates, in milliseconds. */
export const RUN_INTERVAL_MS = 3_000;
const SECRET = randomBytes(32);

/** Returns a random address of the chain. */
export function anAddress(): string {
  return base58check(sha256).encode(Uint8Array.from([0x41, ...randomBytes(20)]));
}

export type ReportedFields = Partial<ToldInvoice>;

/** Opens the invoices module with a simulated service, simulated chats and a clock. */
export function openInvoices(given?: Storage, clock = { now: START }) {
  const storage = given ?? createMemoryStorage({ now: () => clock.now });
  /** Fields of the service's responses, by invoice number. */
  const service = new Map<number, ReportedFields>();
  const respond = async (number: number): Promise<Outcome<ToldInvoice>> => accepted(reportedInvoice(number));
  const read = vi.fn(respond);
  const reads: { at: number; number: number }[] = [];
  const answer = async (number: number) => {
    reads.push({ at: clock.now, number });
    return read(number);
  };
  const made = new Map<number, Invoice>();
  const updates: { chat: number; status: string; number: number; at: number }[] = [];
  let messages = 100;
  const showCard: UpdateCard = async ({ status, number }, { chat, message }) => {
    updates.push({ chat, status, number, at: clock.now });
    return { kind: 'updated', message: message ?? ++messages, notifiedStatus: status };
  };
  const updateCard = vi.fn(showCard);
  const apiKey = vi.fn(async (_user: number, _account: number): Promise<string | undefined> => API_KEY);
  const profile = vi.fn(async (_key: string): Promise<Outcome<Profile>> => profileOf('1000.00'));
  const notifyGuestLimitReached = vi.fn(async () => {});
  const reportContradiction = vi.fn(async (_contradiction: Contradiction) => {});
  const hasEvents = vi.fn(async (_account: number) => false);
  const isNotMade = vi.fn(async (_ref: { user: number; id: string }) => false);
  const admins = new Set<number>();
  const seal = createSeal([SECRET]);

  function reportedInvoice(number: number): ToldInvoice {
    const invoice = made.get(number);
    return {
      invoice_id: number,
      payment_address: invoice?.paymentAddress ?? ADDRESS,
      address: ADDRESS,
      energy_amount: 130_000,
      duration_hours: 1,
      price_trx: '4.64',
      price_usdt: '1.39',
      status: 'pending',
      expires_at: new Date(invoice?.expiresAt ?? 0).toISOString(),
      ...service.get(number),
    };
  }

  function replica(own: Storage = storage, more: Partial<InvoicesDeps> = {}): Invoices {
    const setup: Invoices = createInvoices({
      dataSince: async () => 0,
      hasEvents,
      storage: own,
      records: signedRecords(own),
      seal,
      leases: createLeases({ storage: own }),
      rental: {
        withPriority: () => ({ invoice: async (_key, { invoice_id }) => answer(invoice_id), profile }),
      },
      operatorInvoices: { read: answer },
      apiKey,
      isAdmin: (user) => admins.has(user),
      isNotMade,
      notifyGuestLimitReached,
      reportContradiction,
      updateCard,
      now: () => clock.now,
      log: silentLog(),
      ...more,
    });
    return setup;
  }
  const invoices = replica();

  /** Returns a process that schedules updates of cards, but leaves them to others. */
  function replicaWithoutUpdates(more: Partial<InvoicesDeps> = {}, own: Storage = storage): Invoices {
    const made = replica(own, more);
    void made.cards.close();
    return made;
  }

  let numbers = 0;
  /** Returns an operation that has just created an invoice. */
  function operation(more: Partial<Operation> & { note?: string } = {}): Operation {
    const number = ++numbers;
    const { note, ...rest } = more;
    return {
      id: `op${number}`,
      user: MAKER,
      account: ACCOUNT,
      language: 'en',
      request: { kind: 'invoice', address: ADDRESS, transfers: 2, duration_hours: 1, ...(note && { note }) },
      state: 'done',
      settledAt: clock.now,
      result: {
        order: number,
        invoice: {
          paymentAddress: anAddress(),
          priceTrx: '4.64',
          priceUsdt: '1.39',
          energy: 130_000,
          expiresAt: clock.now + 30 * MINUTE,
        },
      },
      ...rest,
    } as Operation;
  }

  async function open(more: Parameters<typeof operation>[0] = {}, own = invoices): Promise<Invoice> {
    const done = operation(more);
    await own.track(done);
    await settled();
    return present(done, own);
  }

  async function present(ref: { user: number; id: string }, own = invoices): Promise<Invoice> {
    const found = await own.read(ref);
    if (found === undefined) throw new Error(`invoice ${ref.id} not found`);
    made.set(found.number, found);
    return found;
  }

  /** Starts due polls on these replicas, and waits for those that get a response. */
  async function poll(...runs: Invoices[]): Promise<void> {
    const polling = (runs.length > 0 ? runs : [invoices]).map((one) => one.poller.pollDue());
    await Promise.all(polling).finally(settled);
  }

  return {
    ...{ clock, storage, seal, invoices, replica, replicaWithoutUpdates, operation, open, present },
    ...{
      read,
      reads,
      respond,
      reportedInvoice,
      showCard,
      updateCard,
      updates,
      apiKey,
      profile,
      hasEvents,
      notifyGuestLimitReached,
      reportContradiction,
      isNotMade,
      admins,
    },
    OPERATORS: OPERATOR_ACCOUNT,
    /** Sets what the service reports for an invoice from now on. */
    report: (invoice: Pick<Invoice, 'number'>, reported: ReportedFields) =>
      service.set(invoice.number, { ...service.get(invoice.number), ...reported }),
    poll,
    /** Advances the clock and runs the polls and the card updates at their intervals. */
    async pass(ms: number, runs: Invoices[] = [invoices], everyMs = RUN_INTERVAL_MS): Promise<void> {
      const end = clock.now + ms;
      while (clock.now < end) {
        clock.now = Math.min(clock.now + everyMs, end);
        await poll(...runs).catch(() => undefined);
        await Promise.all(runs.map((one) => one.cards.startDue().catch(() => undefined)));
        await settled();
      }
    },
  };
}

export type InvoicesSetup = ReturnType<typeof openInvoices>;

/** Opens the invoices module with one new invoice. */
export async function openInvoice() {
  const setup = openInvoices();
  return { setup, invoice: await setup.open() };
}

/** Returns the highest number of times within any minute. */
export function maxPerMinute(times: readonly number[]): number {
  return Math.max(0, ...times.map((at) => times.filter((one) => one >= at && one < at + MINUTE).length));
}

const createdAt = Date.parse('2025-06-01T12:00:00Z');
export const INVOICE_AT = { createdAt, expiresAt: createdAt + 30 * 60_000 } as const;

/** Returns a new invoice with these fields changed. */
export function invoiceOf(more: Partial<Invoice> = {}): Invoice {
  return {
    id: 'op1',
    user: 502,
    account: 1001,
    number: 51,
    paymentAddress: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4',
    address: ADDRESS,
    energy: 130_000,
    transfers: 2,
    hours: 1,
    priceTrx: '4.640000',
    priceUsdt: '1.39',
    language: 'en',
    shared: false,
    status: 'pending',
    ...INVOICE_AT,
    cards: [],
    ...more,
  };
}

/** Field changes for every state that an invoice can have. */
export const ANY: readonly Partial<Invoice>[] = [
  {},
  { openedAt: createdAt },
  { share: 'sealed' },
  { status: 'expired' },
  { status: 'paid', paidAt: createdAt + 1 },
  { status: 'paid', paidAt: createdAt + 3600_000 },
  { status: 'delegated', txHash: HASH },
  { status: 'delegated', delivered: 32_500 },
  { status: 'failed' },
  { status: 'cancelled' },
  { status: '<b>&"'.repeat(16) },
  { status: '' },
  { unchecked: true },
  { status: 'expired', unchecked: true },
  { status: 'paid', paidAt: createdAt + 1, unchecked: true },
  { status: 'paid', paidAt: createdAt + 3600_000, unchecked: true },
];
