import { Hono } from 'hono';
import { z } from 'zod';
import type { Accounts } from '../accounts.ts';
import type { Deposits } from '../deposits.ts';
import { currency, readBody, trx } from '../fields.ts';
import { Refusal } from '../refusal.ts';
import type { Webhooks } from '../webhooks.ts';
import { accountView, depositView } from './views.ts';

const units = trx.refine((amount) => amount > 0n, { error: 'expected more than 0' });

const deposit = z
  .strictObject({
    amount: units.optional(),
    /** Alias of `amount`. */
    amount_trx: units.optional(),
    currency: currency.default('TRX'),
    /** Confirms the deposit. If false, it stays pending. */
    confirm: z.boolean({ error: 'expected true or false' }).default(true),
  })
  .transform(({ amount, amount_trx, ...rest }, context) => {
    const [given, ...more] = [amount, amount_trx].filter((units) => units !== undefined);
    if (given !== undefined && more.length === 0) return { amount: given, ...rest };
    context.addIssue({
      code: 'custom',
      path: ['amount'],
      message: 'expected a decimal string, like "12.50"',
    });
    return z.NEVER;
  });
const balance = z.strictObject({ balance_trx: trx });

const event = z.strictObject({
  event_type: z.string({ error: 'expected the type of an event' }).min(1),
  data: z.record(z.string(), z.unknown(), { error: 'expected an object' }),
});

/**
 * Adds control routes for accounts. `POST /accounts/:id/deposit` makes a deposit, `POST /accounts/:id/balance` sets the
 * balance. `POST /accounts/:id/events` sends an event of any type, also of types that the sandbox doesn't send otherwise.
 */
export function controlAccounts({
  accounts,
  deposits,
  webhooks,
}: {
  accounts: Accounts;
  deposits: Deposits;
  webhooks: Webhooks;
}): Hono {
  const find = (id: string) => {
    const account = accounts.byId(Number(id));
    if (!account) throw new Refusal(404, `Account ${id} not found`);
    return account;
  };
  return new Hono()
    .post('/:id/deposit', async (c) => {
      const { confirm, ...transfer } = await readBody(c.req, deposit);
      const account = find(c.req.param('id'));
      const sent = deposits.send(account, transfer);
      if (confirm && sent.status === 'pending') deposits.confirm(sent.id);
      return c.json({ ...accountView(account), deposit: depositView(sent) });
    })
    .post('/:id/events', async (c) => {
      const { event_type, data } = await readBody(c.req, event);
      webhooks.emit(find(c.req.param('id')), event_type, data);
      return c.json({ event_type, data });
    })
    .post('/:id/balance', async (c) => {
      const { balance_trx } = await readBody(c.req, balance);
      const account = find(c.req.param('id'));
      accounts.adjust(account, balance_trx);
      return c.json(accountView(account));
    });
}
