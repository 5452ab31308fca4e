import { onTestFinished } from 'vitest';
import type { Invoice } from '../../../src/invoices/invoice.ts';
import type { InvoicePage } from '../../../src/web/invoice-page/invoice-page.ts';
import { createWeb } from '../../../src/web/server.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { recordingLog } from '../../support/log-lines.ts';
import { TEXTS } from '../../support/texts.ts';
import { READY } from '../web-server.ts';

export const TOKEN = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4';
export const PAY_TO = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
export const DELIVER_TO = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
export const HASH = '7c2d4206c03a883dd9066d920c0a2bc1a5f0e7bfbb5f8e1fd2ea1b6d8a4d7e31';
export const MINUTE = 60_000;
/** Time at which the tests' invoice is created; the initial time of the clock. */
export const MADE_AT = Date.UTC(2026, 10, 22, 15, 0);

/** Values that only the merchant may see. */
export const MERCHANT_ONLY_VALUES = ['810111213', 'op-77aa88bb', '620222324', 'sealed-token'];

export const INVOICE: Invoice = {
  id: 'op-77aa88bb',
  user: 810111213,
  account: 620222324,
  number: 930333435,
  paymentAddress: PAY_TO,
  address: DELIVER_TO,
  energy: 131_000,
  hours: 1,
  priceTrx: '12.345678',
  priceUsdt: '4.21',
  language: 'en',
  shared: true,
  share: 'sealed-token',
  status: 'pending',
  createdAt: MADE_AT,
  expiresAt: MADE_AT + 30 * MINUTE,
  cards: [{ chat: 810111213, language: 'en', isForMaker: true, message: 55 }],
};

/** States of the page: minutes since the invoice was created, and changes to the invoice. */
export const PAGE_STATES: Record<string, [minutes: number, changes: Partial<Invoice>]> = {
  open: [1, {}],
  ending: [24, {}],
  paid: [5, { status: 'paid', paidAt: MADE_AT + 4 * MINUTE }],
  late: [50, { status: 'paid', paidAt: MADE_AT + 39 * MINUTE }],
  delivered: [6, { status: 'delegated', paidAt: MADE_AT + 4 * MINUTE, txHash: HASH }],
  over: [31, { checkedAt: MADE_AT + 31 * MINUTE }],
  unreported: [31, {}],
  failed: [7, { status: 'failed', paidAt: MADE_AT + 4 * MINUTE }],
  unchecked: [2, { unchecked: true }],
  unrecognized: [2, { status: 'underpaid' }],
  'without a status': [2, { status: '' }],
  'over and unchecked': [31, { unchecked: true }],
  'expired and unchecked': [31, { status: 'expired', unchecked: true }],
  'paid and unchecked': [5, { status: 'paid', paidAt: MADE_AT + 4 * MINUTE, unchecked: true }],
  'late and unchecked': [50, { status: 'paid', paidAt: MADE_AT + 39 * MINUTE, unchecked: true }],
};
export const PAYABLE = ['open', 'ending'];

/** Serves the page over HTTP from one record, with a clock that only the test advances. */
export async function servePage(options: Partial<InvoicePage> & { invoice?: Partial<Invoice> } = {}) {
  const { invoice: changes, check = async (found) => found, ...parts } = options;
  let invoice: Invoice | undefined = { ...INVOICE, ...changes };
  let now = MADE_AT;
  let isStorageDown = false;
  const calls = { find: [] as string[], opened: [] as string[], checked: [] as string[] };
  const lines = recordingLog();
  const polls: { ifNoneMatch: string | null; status: number }[] = [];
  const server = await startHttpServer(async (request, ...rest: object[]) => {
    const response = await createdWeb.fetch(request, rest[0]);
    const isPoll = request.url.endsWith('/status');
    if (isPoll) polls.push({ ifNoneMatch: request.headers.get('If-None-Match'), status: response.status });
    return response;
  });
  const createdWeb = createWeb({
    log: lines.log,
    readiness: () => READY,
    isOpen: () => true,
    invoicePage: {
      origin: server.origin,
      // The clock stands still, so all requests of a test fall into one second.
      rates: { client: 1_000_000, all: 1_000_000 },
      texts: TEXTS,
      botName: () => 'energy_bot',
      supportUrl: undefined,
      now: () => now,
      async find(token) {
        calls.find.push(token);
        if (isStorageDown) throw new Error('redis is away');
        return token === TOKEN ? invoice : undefined;
      },
      check,
      recordOpened: async ({ id }) => calls.opened.push(id),
      async checkPayment({ id }) {
        calls.checked.push(id);
        return invoice;
      },
      ...parts,
    },
  });
  onTestFinished(server.close);

  return {
    origin: server.origin,
    url: `${server.origin}/i/${TOKEN}`,
    calls,
    lines,
    /** Requests of the status in order, with their responses. */
    polls,
    fetchPage: (path = '', init: RequestInit = {}) => fetch(`${server.origin}/i/${TOKEN}${path}`, init),
    fetchPath: (path: string, init: RequestInit = {}) => fetch(server.origin + path, init),
    change(changed: Partial<Invoice> | undefined) {
      invoice = changed && { ...INVOICE, ...invoice, ...changed };
    },
    /** Makes reading the record fail, or work again. */
    setStorageDown(away: boolean) {
      isStorageDown = away;
    },
    advance(ms: number) {
      now += ms;
    },
    setState(state: string) {
      const [minutes, changed] = PAGE_STATES[state] ?? [0, {}];
      now = MADE_AT + minutes * MINUTE;
      invoice = { ...INVOICE, ...changes, ...changed };
    },
  };
}
