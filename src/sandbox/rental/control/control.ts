import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import type { Accounts } from '../accounts.ts';
import { ApiError, respondWithError } from '../api-error.ts';
import { requireAddress } from '../chain-address.ts';
import type { Deposits } from '../deposits.ts';
import { currency, readBody, text, trx, whole } from '../endpoint.ts';
import { endpoints } from '../endpoints.ts';
import type { Faults } from '../faults.ts';
import type { Orders } from '../orders.ts';
import type { RentalParts } from '../parts.ts';
import { changeEnergyPrices, energySun, priceList } from '../prices.ts';
import { type Account, FAULT_KINDS, RECORDS } from '../state.ts';
import type { Webhooks } from '../webhooks.ts';
import type { Withdrawals } from '../withdrawals.ts';
import type { World } from '../world.ts';
import { addressView } from './chain-views.ts';
import { controlInvoices } from './invoices.ts';
import { controlSmartMode } from './smart-mode.ts';
import { controlTransfers } from './transfers.ts';
import { accountView, ledgerView, stateView } from './views.ts';

/** Streams the revision of the state as server-sent events: once at the start and after each change. */
function streamChanges(c: Context, world: World): Response {
  return streamSSE(c, async (stream) => {
    if (world.stopSignal.aborted) return;
    const send = () => stream.writeSSE({ data: String(world.revision) });
    const unsubscribe = world.onChange(() => void send());
    void send();
    await new Promise<void>((resolve) => {
      const end = () => {
        unsubscribe();
        world.stopSignal.removeEventListener('abort', end);
        resolve();
      };
      stream.onAbort(end);
      world.stopSignal.addEventListener('abort', end);
    });
  });
}

const positiveTrx = trx.refine((amount) => amount > 0n, { error: 'expected more than 0' });

const deposit = z
  .strictObject({
    amount: positiveTrx.optional(),
    /** Alias of `amount`. */
    amount_trx: positiveTrx.optional(),
    currency: currency.default('TRX'),
    /** Confirms the deposit. If false, it stays pending. */
    confirm: z.boolean({ error: 'expected true or false' }).default(true),
  })
  .transform(({ amount, amount_trx, ...rest }, context) => {
    if (amount !== undefined && amount_trx === undefined) return { amount, ...rest };
    if (amount === undefined && amount_trx !== undefined) return { amount: amount_trx, ...rest };
    context.addIssue({
      code: 'custom',
      path: ['amount'],
      message: 'expected a decimal string, like "12.50"',
    });
    return z.NEVER;
  });
const balance = z.strictObject({ balance_trx: trx });
const apiKey = z.strictObject({ key: text('an API key') });

const event = z.strictObject({
  event_type: z.string({ error: 'expected the type of an event' }).min(1),
  data: z.record(z.string(), z.unknown(), { error: 'expected an object' }),
});

/**
 * Adds control routes for accounts. `POST /accounts/:id/deposit` makes a deposit, `POST /accounts/:id/balance` sets the
 * balance, `POST /accounts/:id/key` the API key. `POST /accounts/:id/events` sends an event of any type, also of types that
 * the sandbox doesn't send otherwise.
 */
function controlAccounts({
  accounts,
  deposits,
  webhooks,
  world,
}: {
  accounts: Accounts;
  deposits: Deposits;
  webhooks: Webhooks;
  world: Pick<World, 'clock'>;
}): Hono {
  const viewOf = (account: Account) => accountView(account, world.clock.now());
  const find = (id: string) => {
    const account = accounts.byId(Number(id));
    if (!account) throw new ApiError(404, `Account ${id} not found`);
    return account;
  };
  return new Hono()
    .post('/:id/deposit', async (c) => {
      const { confirm, ...transfer } = await readBody(c.req, deposit);
      const account = find(c.req.param('id'));
      const sent = deposits.send(account, transfer);
      if (confirm && sent.status === 'pending') deposits.confirm(sent.id);
      return c.json({ ...viewOf(account), deposit: RECORDS.deposits.view(sent) });
    })
    .post('/:id/events', async (c) => {
      const { event_type, data } = await readBody(c.req, event);
      webhooks.emit(find(c.req.param('id')), event_type, data);
      return c.json({ event_type, data });
    })
    .post('/:id/key', async (c) => {
      const { key } = await readBody(c.req, apiKey);
      const account = find(c.req.param('id'));
      accounts.assignKey(account, key);
      return c.json(viewOf(account));
    })
    .post('/:id/balance', async (c) => {
      const { balance_trx } = await readBody(c.req, balance);
      const account = find(c.req.param('id'));
      accounts.adjust(account, balance_trx);
      return c.json(viewOf(account));
    });
}

/** Adds `GET /chain/addresses/:address`, which returns the wallet of an address and its latest transactions. */
function controlChain(world: World): Hono {
  return new Hono().get('/addresses/:address', (c) =>
    c.json(addressView(world.state, requireAddress(c.req.param('address')))),
  );
}

/** Adds `POST /deposits/:id/confirm` and `/deposits/:id/expire`, which end a pending deposit. */
function controlDeposits(deposits: Deposits): Hono {
  return new Hono()
    .post('/:id/confirm', (c) => c.json(RECORDS.deposits.view(deposits.confirm(Number(c.req.param('id'))))))
    .post('/:id/expire', (c) => c.json(RECORDS.deposits.view(deposits.expire(Number(c.req.param('id'))))));
}

const names = endpoints.map(({ name }) => name);

const fault = z.strictObject({
  endpoint: z.enum(names, { error: `expected one of ${names.join(', ')}` }),
  kind: z.enum(FAULT_KINDS, { error: `expected one of ${FAULT_KINDS.join(', ')}` }),
  times: whole(1, 1_000_000).default(1),
  /** Delay of `latency`, or the wait that `rate-limit` reports, in milliseconds. */
  ms: whole(0, 600_000).optional(),
  /** Status of `error-before` and `error-after`. */
  status: whole(500, 599).optional(),
});

/** Adds `POST /faults`, which orders a fault for the next requests, and `DELETE /faults`, which removes all faults. */
function controlFaults(faults: Faults): Hono {
  return new Hono()
    .post('/', async (c) => c.json(faults.add(await readBody(c.req, fault))))
    .delete('/', (c) => {
      faults.clear();
      return c.json({ faults: [] });
    });
}

/** Adds `POST /orders/:id/fill` and `/orders/:id/fail`, which end a pending order. */
function controlOrders(orders: Orders): Hono {
  return new Hono()
    .post('/:id/fill', (c) => c.json(RECORDS.orders.view(orders.fill(Number(c.req.param('id'))))))
    .post('/:id/fail', (c) => c.json(RECORDS.orders.view(orders.fail(Number(c.req.param('id'))))));
}

const prices = z.strictObject({ energy_sun: energySun });

/**
 * Adds `POST /prices`, which changes the price of a unit of energy for 1 or 24 hours. Existing orders and invoices keep
 * their price.
 */
function controlPrices(world: World): Hono {
  return new Hono().post('/', async (c) => {
    const { energy_sun } = await readBody(c.req, prices);
    const { state } = world;
    state.energyPrices = changeEnergyPrices(state.energyPrices, energy_sun);
    world.changed();
    return c.json(priceList(state.energyPrices));
  });
}

const rateLimits = z.strictObject({ shared: z.boolean({ error: 'expected true or false' }) });

/** Adds `POST /rate-limits`, which selects a reading of section 8. The windows begin anew. */
function controlRateLimits(world: World): Hono {
  return new Hono().post('/', async (c) => {
    const { shared } = await readBody(c.req, rateLimits);
    world.state.isLimitShared = shared;
    world.state.rateWindows.clear();
    world.changed();
    return c.json({ shared });
  });
}

/** Adds `POST /withdrawals/:id/complete` and `/withdrawals/:id/fail`, which end a pending withdrawal. */
function controlWithdrawals(withdrawals: Withdrawals): Hono {
  return new Hono()
    .post('/:id/complete', (c) =>
      c.json(RECORDS.withdrawals.view(withdrawals.complete(Number(c.req.param('id'))))),
    )
    .post('/:id/fail', (c) => c.json(RECORDS.withdrawals.view(withdrawals.fail(Number(c.req.param('id'))))));
}

/** Creates the control API, which isn't part of the specification. It shows the service's state and triggers events. */
export function createControl({ parts, faults }: { parts: RentalParts; faults: Faults }): Hono {
  const { world } = parts;
  const currentState = () => stateView(world.state, world.clock.now());
  const control = new Hono();
  control.onError(respondWithError);
  control.get('/state', (c) => c.json(currentState()));
  control.get('/changes', (c) => streamChanges(c, world));
  control.get('/ledger', (c) => {
    const kind = c.req.query('kind');
    const entries = world.state.ledger.filter((entry) => kind === undefined || entry.kind === kind);
    return c.json(entries.map(ledgerView).reverse());
  });
  control.route('/orders', controlOrders(parts.orders));
  control.route('/accounts', controlAccounts(parts));
  control.route('/deposits', controlDeposits(parts.deposits));
  control.route('/withdrawals', controlWithdrawals(parts.withdrawals));
  control.route('/invoices', controlInvoices(parts));
  control.route('/smart-mode', controlSmartMode(parts));
  control.route('/transfers', controlTransfers(parts.chain));
  control.route('/prices', controlPrices(world));
  control.route('/rate-limits', controlRateLimits(world));
  control.route('/chain', controlChain(world));
  control.route('/faults', controlFaults(faults));
  control.post('/reset', (c) => {
    world.reset();
    return c.json(currentState());
  });
  return control;
}
