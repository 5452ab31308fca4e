import { ENDPOINTS } from '../../src/rental-api/endpoints.ts';
import { Invoice } from '../../src/rental-api/schemas.ts';
import { personOf, SECRET } from './identities.ts';

export interface BoughtOrder {
  account: number;
  order_id: number;
  address: string;
  energy_amount: number;
}

interface Purchase {
  address: string;
  energy_amount: number;
  duration_hours: number;
}

const PRICE = 2.32;
const DEPOSITED = 10_000_000;
/** Maximum number of deposits in an account's list. */
const LISTED = 100;
const SINCE = '2026-01-01T00:00:00Z';
const PRICES = { energy_sun: { '1h': 35.68, '24h': 60 } };

/** An unpaid invoice. All have the same content but their numbers. */
export const OPEN_INVOICE = Invoice.parse(ENDPOINTS.createInvoice.sample.response);

/** Creates a stand-in for the rental service. Endpoints without a response of their own return that of their sample. */
export function createRentalStandIn() {
  const spent = new Map<number, number>();
  const hooks = new Map<number, string>();
  const deposits = new Map<number, object[]>();
  const waiting: (() => void)[] = [];
  let hangs = false;
  let orders = 0;
  let bought: ((order: BoughtOrder) => void) | undefined;

  function buy(account: number, { address, energy_amount, duration_hours }: Purchase) {
    orders += 1;
    spent.set(account, (spent.get(account) ?? 0) + 1);
    bought?.({ account, order_id: orders, address, energy_amount });
    const order = { order_id: orders, address, energy_amount, duration_hours };
    return { ...order, price_trx: String(PRICE), status: 'pending' };
  }

  function profile(id: number) {
    const balance_trx = (DEPOSITED - PRICE * (spent.get(id) ?? 0)).toFixed(2);
    const known = { id, email: `${id}@bench.example`, chain_address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' };
    return { ...known, balance_trx, totp_enabled: false, created_at: SINCE };
  }

  return {
    /** Returns the response to a request. While purchases hang, theirs never resolves. */
    async answer(method: string, path: string, key: string, body: string): Promise<unknown> {
      const account = personOf(key);
      switch (`${method} ${path}`) {
        case 'GET /account/profile':
          return profile(account);
        case 'GET /prices':
          return PRICES;
        case 'POST /energy/buy':
          if (hangs) await new Promise<void>((resolve) => waiting.push(resolve));
          return buy(account, JSON.parse(body));
        case 'GET /account/deposits':
          return deposits.get(account) ?? [];
        case 'GET /account/withdrawals':
        case 'GET /webhooks/logs':
          return [];
        case 'POST /webhooks/configure': {
          const { url } = JSON.parse(body);
          hooks.set(account, url);
          return { url, secret: SECRET, active: true, created_at: SINCE };
        }
        default: {
          const [, invoice] = /^\/invoices\/(\d+)$/.exec(path) ?? [];
          if (invoice !== undefined) return { ...OPEN_INVOICE, invoice_id: Number(invoice) };
          const endpoint = Object.values(ENDPOINTS).find((one) => one.path === path);
          if (endpoint === undefined) throw new Error(`the service has no ${method} ${path}`);
          return endpoint.sample.response;
        }
      }
    },
    orders: () => orders,
    /** Adds a credited deposit. */
    deposit(account: number, record: object) {
      deposits.set(account, [record, ...(deposits.get(account) ?? [])].slice(0, LISTED));
    },
    /** Returns the accounts whose events go to the bot. */
    hooked: () => [...hooks.keys()],
    hookOf: (account: number) => hooks.get(account),
    onBought(hear: typeof bought) {
      bought = hear;
    },
    /** Makes purchases hang, or work again. Purchases that already hang never get a response. */
    hang(now: boolean) {
      hangs = now;
      waiting.length = 0;
    },
    hanging: () => waiting.length,
  };
}

export type RentalStandIn = ReturnType<typeof createRentalStandIn>;
