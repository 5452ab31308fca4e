import { Hono } from 'hono';
import { z } from 'zod';
import type { Accounts } from '../accounts.ts';
import type { Deposits } from '../deposits.ts';
import { readBody, trx } from '../fields.ts';
import { Refusal } from '../refusal.ts';
import { accountView } from './views.ts';

const deposit = z.strictObject({
  amount_trx: trx.refine((sun) => sun > 0n, { error: 'expected more than 0' }),
});
const balance = z.strictObject({ balance_trx: trx });

/** `POST /accounts/:id/deposit`: money comes in. `POST /accounts/:id/balance`: the balance is set. */
export function controlAccounts({ accounts, deposits }: { accounts: Accounts; deposits: Deposits }): Hono {
  const find = (id: string) => {
    const account = accounts.byId(Number(id));
    if (!account) throw new Refusal(404, `Account ${id} not found`);
    return account;
  };
  return new Hono()
    .post('/:id/deposit', async (c) => {
      const { amount_trx } = await readBody(c.req, deposit);
      const account = find(c.req.param('id'));
      deposits.credit(account, amount_trx);
      return c.json(accountView(account));
    })
    .post('/:id/balance', async (c) => {
      const { balance_trx } = await readBody(c.req, balance);
      const account = find(c.req.param('id'));
      accounts.enter(account, { kind: 'adjustment', amount: balance_trx - account.balance });
      return c.json(accountView(account));
    });
}
